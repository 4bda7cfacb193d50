"""What is known of the statistics at each share: moments, normals, their grid, simulations."""
