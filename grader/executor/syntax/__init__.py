"""Analysis of syntax trees, which never runs any of the source.

`tree` walks each module once and resolves its scopes; the other modules use that walk. Source can
be nested to any depth and be of any length, so every walk is a loop with an explicit stack.
"""
