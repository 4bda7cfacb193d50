"""Several releases of the same data: rules that add up promises, and what they deliver together."""
