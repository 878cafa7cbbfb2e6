"""Values as the judge's own trees: read from JSON or a literal, compared, shown as text."""
