"""What is handed on: reports and scripts."""

from distpriv.export.report import ReportRun, build_report
from distpriv.export.report.report import Report

__all__ = ["Report", "ReportRun", "build_report"]
