"""The command-line verbs for authors."""
