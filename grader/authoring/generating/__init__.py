"""What a generator of sessions is written with: draws, lines, scripts, and the generator itself."""

from grader.authoring.generating.scripts import Draws, Generator, HiddenGroup, Line, Script

__all__ = ["Draws", "Generator", "HiddenGroup", "Line", "Script"]
