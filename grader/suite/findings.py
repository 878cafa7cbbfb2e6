"""Collects what is wrong between the parts of a suite."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from grader.suite.diagnostics import Diagnostic, InvalidSuite, did_you_mean, listed, quoted
from grader.suite.reading import Document, NodePath


@dataclass(slots=True)
class Findings:
    """Diagnostics about `document`, each at a value or at a key of it."""

    document: Document
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def end(self) -> None:
        """Raise `InvalidSuite` if anything was reported."""
        if self.diagnostics:
            raise InvalidSuite(self.document.source.name, self.diagnostics)

    def at_value(self, path: NodePath, message: str, advice: str | None) -> None:
        """Report `message` about the value at `path`."""
        place = self.document.node(path).place
        self.diagnostics.append(self.document.source.diagnostic(place, message, advice))

    def at_key(self, path: NodePath, message: str, advice: str) -> None:
        """Report `message` about the key at `path`."""
        place = self.document.key_place(path)
        self.diagnostics.append(self.document.source.diagnostic(place, message, advice))

    def line_of(self, path: NodePath) -> int:
        """Return the line on which the value at `path` begins."""
        return self.document.node(path).place.line

    def repeated(self, what: str, path: NodePath, key: str | None = None) -> None:
        """Report each item of the list at `path`, a `what`, that an earlier one is equal to.

        Of mappings the values at `key` are compared.
        """
        if not self.document.has(path):
            return
        first: dict[str, NodePath] = {}
        for index in range(len(self.document.node(path).data)):
            at = (*path, index) if key is None else (*path, index, key)
            text = self.document.node(at).text
            if first.setdefault(text, at) != at:
                advice = f"line {self.line_of(first[text])} has it already"
                self.at_value(at, f"the {what} {quoted(text)} is given twice", advice)

    def unknown(
        self, what: str, path: NodePath, name: str, known: Collection[str], choices: str
    ) -> None:
        """Report `name`, a `what` at `path`, unless it is `known`; `choices` introduces these."""
        if name not in known:
            message = f"unknown {what} {quoted(name)}{did_you_mean(name, known)}"
            self.at_value(path, message, f"{choices}: {listed(known)}")
