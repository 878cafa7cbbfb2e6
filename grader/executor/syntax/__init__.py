"""What the syntax tree of a source says: nothing here runs a line of it.

`tree` walks each module once and knows its scopes; the other modules read that walk. A submission
may be as deep or as long as it likes: every walk is a loop with a stack of its own.
"""
