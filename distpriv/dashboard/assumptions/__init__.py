"""What the page Assumptions is made of."""
