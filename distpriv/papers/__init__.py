"""Every table and figure of the papers, printed beside ours: ``papers.frame("table-3")``.

Chen & Ohrimenko (2023, full version), Zhang et al. (2022) and Liu et al. (2019). What is shipped
was computed on UCI's Adult (Dua & Graff, CC BY 4.0) by ``distpriv papers --table adult.data --table
adult.test --write adult.parquet``; ``frame(key, Run.of(table))`` computes it on another table.
"""

from distpriv.papers import chen, zhang, liu  # noqa: F401, I001  # register their items
from distpriv.papers.items import ERRATA, ITEMS, Item, Row, frame, named, recompute, shipped, tally
from distpriv.papers.run import Run, on_example, perform, read_adult
from distpriv.papers.zhang import SCHOOL, school_quilt

__all__ = ["ERRATA", "ITEMS", "SCHOOL", "Item", "Row", "Run", "frame", "on_example", "read_adult"]
__all__ += ["named", "perform", "recompute", "school_quilt", "shipped", "tally"]
