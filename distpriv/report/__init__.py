"""Reports: one JSON record of a question and its decision, and the texts that are made of it."""

from distpriv.report.build import csv_of, json_of, label, markdown, page, record, script

from distpriv.report.build import with_decision as with_decision  # isort: skip

__all__ = ["csv_of", "json_of", "label", "markdown", "page", "record", "script", "with_decision"]
