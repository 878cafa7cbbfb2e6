"""Finds repairs: the smallest edit of a hand-in with which a failing group passes.

Edits are proposed in an executor that has the file as text, and tried in others. An edit counts as
proven only if the edited hand-in, graded like any other, passes all cases of the group and all
cases that passed before.
"""
