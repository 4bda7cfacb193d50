"""What the page Attack is made of."""
