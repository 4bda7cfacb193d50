"""What the page Directions is made of."""
