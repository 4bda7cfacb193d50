"""What the page Gaussian fit is made of."""
