"""What the page Privacy–utility is made of."""
