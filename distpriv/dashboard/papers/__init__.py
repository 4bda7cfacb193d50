"""What the page Paper results is made of."""
