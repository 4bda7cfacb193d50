"""What the page Frameworks is made of."""
