"""What the page Release is made of."""
