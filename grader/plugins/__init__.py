"""Plug-ins: what the core can do without. `grader.seams` names each; any can be removed."""
