"""What a generator of sessions is written with: draws, lines, scripts, and the generator itself."""

from grader.generating.draws import Draws
from grader.generating.scripts import Generator, HiddenGroup, Line, Script

__all__ = ["Draws", "Generator", "HiddenGroup", "Line", "Script"]
