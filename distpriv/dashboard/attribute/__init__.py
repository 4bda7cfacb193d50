"""What the page Attribute privacy is made of."""
