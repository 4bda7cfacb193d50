"""What is asked of a table: statistics, secrets and pairs of shares."""
