"""What is handed on: reports and scripts."""
