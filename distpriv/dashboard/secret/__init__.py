"""What the page Secret & release is made of."""
