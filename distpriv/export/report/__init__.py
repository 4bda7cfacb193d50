"""Reports: a scenario's question, answer, guarantee, errors, attacks and figures in one file.

A report is built once, by :func:`build_report` or step by step by a :class:`ReportRun`, and
written as HTML, Markdown or JSON. Unless it is asked to, it holds neither records nor statistics
of the table itself: nothing that a release would not give away.
"""

from distpriv.export.report.building import ReportRun, build_report
from distpriv.export.report.report import Report
from distpriv.export.report.values import Picture, Truth

__all__ = ["Picture", "Report", "ReportRun", "Truth", "build_report"]
