"""What the page Wasserstein is made of."""
