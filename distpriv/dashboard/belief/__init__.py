"""What the page Belief is made of."""
