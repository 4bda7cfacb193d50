"""What the page Question is made of."""
