"""What serving to many takes: the entry, and people with names."""
