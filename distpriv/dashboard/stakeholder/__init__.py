"""What those who decide see: one decision, read-only but for their yes or no."""
