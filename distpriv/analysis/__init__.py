"""From a scenario and a table to an answer."""
