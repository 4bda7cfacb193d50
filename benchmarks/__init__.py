"""How fast the package is, against the plain way; ``python -m benchmarks.bench`` prints it."""
