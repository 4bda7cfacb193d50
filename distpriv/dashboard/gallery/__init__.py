"""What the page Gallery is made of."""
