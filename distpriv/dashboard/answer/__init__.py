"""What the page Answer is made of."""
