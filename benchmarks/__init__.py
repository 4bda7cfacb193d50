"""Speeds of the package beside what a good engineer would write, on one thread."""

import os

os.environ["OPENBLAS_NUM_THREADS"] = (
    "1"  # before NumPy is loaded; CPU times would count idle threads
)
