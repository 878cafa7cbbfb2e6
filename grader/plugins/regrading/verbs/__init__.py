"""The command-line verbs that regrade and compare runs."""
