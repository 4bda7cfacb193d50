"""Linear algebra on one thread: what a page computes are small matrices, and many of them."""

from __future__ import annotations

import os

__all__ = ["at_start"]

_SET_BY = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "OMP_NUM_THREADS")


def at_start() -> None:
    """Let NumPy's and SciPy's linear algebra take one thread each, unless the owner said how many.

    With as many threads as cores each product of two small matrices wakes all of them, and they
    wait in a loop for the next: calibrating is no earlier, and takes half as much of the processor
    again on two cores.
    """
    if any(os.environ.get(name) for name in _SET_BY):
        return
    # Loaded here: only a library that is there can be told.
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

    ThreadpoolController().select(user_api="blas").limit(limits=1)
