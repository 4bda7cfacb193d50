"""The package's version."""

__all__ = ["VERSION"]

VERSION = "0.1.0"
