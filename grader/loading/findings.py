"""Collects what is wrong between the parts of a suite."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.loading.diagnostics import Diagnostic
from grader.loading.document import Document, NodePath
from grader.loading.suggestions import quoted


@dataclass(slots=True)
class Findings:
    """Diagnostics about `document`, each at a value or at a key of it."""

    document: Document
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def at_value(self, path: NodePath, message: str, advice: str | None) -> None:
        """Report `message` about the value at `path`."""
        place = self.document.nodes[path].place
        self.diagnostics.append(self.document.source.diagnostic(place, message, advice))

    def at_key(self, path: NodePath, message: str, advice: str) -> None:
        """Report `message` about the key at `path`."""
        place = self.document.key_place(path)
        self.diagnostics.append(self.document.source.diagnostic(place, message, advice))

    def line_of(self, path: NodePath) -> int:
        """Return the line on which the value at `path` begins."""
        return self.document.nodes[path].place.line

    def repeated(self, what: str, paths: Iterable[NodePath]) -> None:
        """Report each value at `paths`, a `what`, that an earlier one of them has too."""
        first: dict[str, NodePath] = {}
        for path in paths:
            text = self.document.nodes[path].text
            if first.setdefault(text, path) != path:
                advice = f"line {self.line_of(first[text])} has it already"
                self.at_value(path, f"the {what} {quoted(text)} is given twice", advice)
