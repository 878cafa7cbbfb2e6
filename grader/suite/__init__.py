"""What an exercise is: its suite in memory, from YAML, found by name, and written as YAML."""
