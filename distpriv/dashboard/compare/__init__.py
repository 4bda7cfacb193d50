"""What the page Compare & report is made of."""
