"""Messages to people, before they are put in a language.

A record must not depend on the language of its reader, so all its texts are `Message` objects: a
key and parameters. `grader.reporting.wording` turns a message into a sentence, in the language of
the exercise or of the reader.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Parameter: TypeAlias = str | int


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence before translation: a key in the catalogs of `grader.reporting.wording`."""

    key: str
    parameters: tuple[tuple[str, Parameter], ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the message as a dict that can be serialized as JSON."""
        return {"key": self.key, "parameters": dict(self.parameters)}


def message(key: str, /, **parameters: Parameter) -> Message:
    """Return the message with catalog key `key` and the `parameters` for its placeholders."""
    # Sorted, so that messages compare equal whatever the order of their keyword arguments.
    return Message(key, tuple(sorted(parameters.items())))
