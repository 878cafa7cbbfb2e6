"""Foreign text in the size in which people read it: so many characters, and so many lines."""

from __future__ import annotations

from grader.display import shown_text


def excerpt_lines(text: str, max_chars: int, max_lines: int) -> list[str]:
    """Return the lines of `text`, safe; the last one says how much more there is."""
    lines = shown_text(text, max_chars).split("\n")
    if len(lines) > max_lines:
        return [*lines[: max_lines - 1], f"… (+{len(lines) - max_lines + 1})"]
    return lines


def excerpt(text: str, max_chars: int, max_lines: int) -> str:
    """Return the beginning of `text`, safe, with what says how much more there is."""
    return "\n".join(excerpt_lines(text, max_chars, max_lines))
