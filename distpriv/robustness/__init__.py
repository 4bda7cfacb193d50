"""What a promise rests on: verdicts on assumptions, and what survives where they do not hold."""
