"""Text as rich has it, wrapped and cut where rich wraps and cuts it."""

import re
import unicodedata

_WORD = re.compile(r"\s*\S+\s*")


def _width(character):
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def cell_len(text):
    """Return how many cells a text takes."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _cut(text, width):
    """Return a text in exactly so many cells."""
    total = 0
    for number, character in enumerate(text):
        total += _width(character)
        if total > width:
            return text[:number] + " " * (width - total + _width(character))
    return text + " " * (width - total)


def _chopped(word, width):
    pieces, piece, total = [], "", 0
    for character in word:
        if total + _width(character) > width and piece:
            pieces.append(piece)
            piece, total = "", 0
        piece += character
        total += _width(character)
    return [*pieces, piece]


def _breaks(text, width):
    found, offset = [], 0
    for match in _WORD.finditer(text):
        start, word = match.start(), match.group(0)
        length = cell_len(word.rstrip())
        if width - offset >= length:
            offset += cell_len(word)
        elif length > width:
            pieces = _chopped(word, width)
            for number, piece in enumerate(pieces):
                if start:
                    found.append(start)
                if number == len(pieces) - 1:
                    offset = cell_len(piece)
                else:
                    start += len(piece)
        elif offset and start:
            found.append(start)
            offset = cell_len(word)
    return found


class Text:
    """A line, without styles."""

    def __init__(self, plain="", style=""):
        """Hold the text."""
        self.plain = plain

    def append(self, text, style=None):
        """Add text."""
        self.plain += text.plain if isinstance(text, Text) else text
        return self

    def __add__(self, other):
        return Text(self.plain).append(other)

    def copy(self):
        """Return another one with the same text."""
        return Text(self.plain)

    def __len__(self):
        return len(self.plain)

    @property
    def cell_len(self):
        """Return how many cells it takes."""
        return cell_len(self.plain)

    def pad_right(self, count, character=" "):
        """Add blanks."""
        self.plain += character * count

    def rstrip(self):
        """Take blanks from its end."""
        self.plain = self.plain.rstrip()

    def truncate(self, max_width, overflow="crop"):
        """Cut it off."""
        if self.cell_len > max_width:
            if overflow == "ellipsis":
                self.plain = _cut(self.plain, max_width - 1) + "\u2026"
            else:
                self.plain = _cut(self.plain, max_width)

    def wrap(self, console, width, overflow="fold"):
        """Return its lines."""
        lines = []
        for line in self.plain.split("\n"):
            offsets = [0, *_breaks(line, width), len(line)]
            for start, end in zip(offsets, offsets[1:]):
                piece = line[start:end]
                excess = len(piece) - width
                if excess > 0:
                    blanks = len(piece) - len(piece.rstrip())
                    piece = piece[: len(piece) - min(blanks, excess)]
                cut = Text(piece)
                cut.truncate(width, overflow="crop")
                lines.append(cut)
        return lines
