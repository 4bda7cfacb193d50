"""What the page Decisions is made of."""
