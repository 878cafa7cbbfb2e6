"""What a value is: a tree of our own, read from JSON or a literal, compared, shown as text."""
