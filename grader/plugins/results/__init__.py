"""Results of one submission as platforms and editors read them, a module for each format."""
