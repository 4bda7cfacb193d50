"""What the page Choosing ε is made of."""
