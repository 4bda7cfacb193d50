"""Distances between laws of statistics: Wasserstein, closeness, couplings, between normals."""
