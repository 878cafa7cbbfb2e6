"""What can be typed: the command line, and what makes suites tests of pytest's."""
