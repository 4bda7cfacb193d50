"""Tables: from a file to typed columns, with how it was read, and the examples."""
