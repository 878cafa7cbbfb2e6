"""The command line: one module per verb, and what several verbs share."""
