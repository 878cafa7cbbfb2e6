"""Results of one submission in the formats of platforms and editors, one module per format."""
