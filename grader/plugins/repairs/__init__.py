"""Repairs: the smallest edit of a hand-in's own file with which a failing group passes.

Edits are proposed in an executor that has the file as text, and tried in others. One counts as a
proof only when the edited hand-in, graded like any other, passes all of the group and whatever
passed before.
"""
