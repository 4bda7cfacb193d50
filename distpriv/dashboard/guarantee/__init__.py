"""What the page Guarantee is made of."""
