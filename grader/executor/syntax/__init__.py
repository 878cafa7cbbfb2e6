"""Analysis of syntax trees: nothing here runs a line of the source.

`tree` walks each module once and resolves its scopes; the other modules use that walk. A submission
may be of any depth and length: every walk is a loop with an explicit stack.
"""
