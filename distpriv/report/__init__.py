"""Reports: one JSON record of a question and its decision, and the texts that are made of it."""

from __future__ import annotations

from distpriv.report.build import markdown, page, record, with_decision
from distpriv.report.recipients import csv_of, json_of, label, script

__all__ = ["csv_of", "json_of", "label", "markdown", "page", "record", "script", "with_decision"]
