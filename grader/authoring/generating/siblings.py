"""Makes the small sessions that show a student her mistake: siblings of the ones that count.

They come from the same generator and another seed. For each wrong program, and each group of which
it fails a case, the shortest such case is taken in its own session, and made smaller as long as the
program still fails it. What is found for one program does for others that fail the same case, so
that a few dozen sessions are enough. Where they are not, each group has its share of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from grader.authoring.auditing.mutant_runner import ProgramResult
from grader.authoring.generating.candidates import scripts, session_documents
from grader.authoring.generating.evaluator import Document, Evaluator
from grader.authoring.generating.oracle import Oracle
from grader.authoring.generating.scripts import Line, Script
from grader.authoring.generating.shrinking import Lines, shrunk
from grader.errors import SuiteError
from grader.sandbox.planning import names_read, needed_steps
from grader.suite.code import parse_code
from grader.suite.model import Case, Session, Suite

MAX_SIBLINGS: Final = 250
"""With so many no other lead is followed; the last one may bring a few more."""
_MAX_CODE_CHARS: Final = 300
"""Of a case that is worth showing."""
_NONSENSE: Final = ("NameError", "UnboundLocalError", "SyntaxError")
"""What the reference raises where a line lacks what was left out before it."""


@dataclass(frozen=True, slots=True)
class _Lead:
    """A case that some programs fail."""

    session: Session
    case: Case
    document: Document
    programs: tuple[str, ...]

    @property
    def size(self) -> tuple[int, int]:
        """How long its own session is, in lines and in characters."""
        lines = [self.document["steps"][index]["do"] for index in self.indexes]
        return len(lines), sum(map(len, lines))

    @property
    def indexes(self) -> tuple[int, ...]:
        """The steps of its own session."""
        return (*needed_steps(self.session, self.case.step_index), self.case.step_index)

    def observers_of(self, lines: Lines) -> tuple[str, ...]:
        """Return the observers that can look at what is left of the session in `lines`."""
        names = {name for step in self.session.steps for name in step.binds}
        bound = {name for line in lines for name in parse_code(line.code).binds}
        observers: list[str] = self.document.get("observers", [])
        return tuple(each for each in observers if names_read(each) & names <= bound)


class _SiblingMaker:
    """Makes siblings of leads, until every program is shown in every group that can show it."""

    def __init__(self, evaluator: Evaluator, suite: Suite, scored: Iterable[Document]) -> None:
        self._suite: Final = suite
        self._evaluator: Final = evaluator
        self._oracle: Final[Oracle] = evaluator.oracle
        self._sources: Final = {each.id: each.sources for each in evaluator.programs}
        self._runner: Final = evaluator.runner_of(suite)
        self._scored: Final = [_codes(document) for document in scored]
        self._shown: Final[set[tuple[str, str]]] = set()
        self.siblings: Final[list[Document]] = []

    def follow(self, lead: _Lead) -> None:
        """Make a sibling of `lead` if there is a program that no sibling shows in its group yet."""
        group = lead.case.group
        waiting = [each for each in lead.programs if (each, group) not in self._shown]
        for program in waiting:
            if (program, group) in self._shown:  # by the sibling of an earlier one in `waiting`
                continue
            small = self._small(lead, program)
            if small is None:
                continue
            session = self._oracle.try_out(small)
            assert session is not None, "it was tried out while it was made smaller"
            others = [each for each in waiting if (each, group) not in self._shown]
            shown = self._runner.deviating([self._sources[each] for each in others], session)
            self._shown.update(
                (each, group) for each, fails in zip(others, shown, strict=True) if fails
            )
            # Two programs may shrink a session to the same one.
            document = self._oracle.session(small)
            if document not in self.siblings:
                self.siblings.append(document)

    def first(self, leads: Iterable[_Lead], program: str) -> Document | None:
        """Return the smallest session made of the first of `leads` that shows `program`."""
        for lead in leads:
            small = self._small(lead, program)
            if small is not None:
                return self._oracle.session(small)
        return None

    def _small(self, lead: _Lead, program: str) -> Script | None:
        """Return the smallest session found that shows `program`; None if there is none to show."""
        sources = self._sources[program]
        start = tuple(_line(lead, index) for index in lead.indexes)

        def script(lines: Lines) -> Script:
            return Script(
                topic=lead.document["title"],
                lines=lines,
                observers=lead.observers_of(lines),
                uses=lead.session.modules if self._suite.binds == "modules" else (),
            )

        def shows(lines: Lines) -> bool:
            try:
                session = self._oracle.try_out(script(lines))
            except SuiteError:  # the reference does not survive what is tried, or says nothing
                return False
            if session is None or _is_nonsense(session):
                return False
            deviates = self._runner.deviating([sources], session)[0]
            return deviates and self._evaluator.agreed(self._runner, self._suite, session)

        if not shows(start):
            return None
        small = script(shrunk(start, shows))
        codes = _codes(self._oracle.session(small))
        return None if any(codes <= each for each in self._scored) else small


def _line(lead: _Lead, index: int) -> Line:
    step: dict[str, Any] = lead.document["steps"][index]
    if index != lead.case.step_index:
        return Line(code=step["do"])
    group = step["group"]
    return Line(
        code=step["do"],
        group=None if "raises" in step else group,
        refused=group if "raises" in step else None,
        note=step.get("note"),
        spec_line=step.get("line"),
    )


def _is_nonsense(session: Session) -> bool:
    raised = getattr(session.steps[-1].expectation, "type_name", "")
    return raised in _NONSENSE


def _codes(document: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(step["do"] for step in document["steps"])


def siblings(
    evaluator: Evaluator, seed: str, count: int, scored: Sequence[Document]
) -> list[Document]:
    """Return small sessions, the smallest first, made from `seed` and `count` drawn sessions.

    None of them is a part of one of the `scored` sessions.
    """
    drawn = scripts(evaluator.generator, f"{seed}:siblings", count)
    made = session_documents(evaluator.oracle, drawn)
    documents = {f"c{number}": document for number, (_, document) in enumerate(made)}
    suite, matrix = evaluator.matrix(documents, roughly=True)
    maker = _SiblingMaker(evaluator, suite, scored)
    leads = sorted(_leads(suite, documents, matrix), key=lambda lead: lead.size)
    found: list[tuple[int, Document]] = []
    for place, lead in _in_turn(leads, maker.siblings):
        count = len(maker.siblings)
        maker.follow(lead)
        found += ((place, document) for document in maker.siblings[count:])
    return [document for _, document in sorted(found, key=lambda each: (_size(each[1]), each[0]))]


def _in_turn(leads: Sequence[_Lead], siblings: Sequence[Document]) -> Iterator[tuple[int, _Lead]]:
    """Yield `leads` with their places, until there are enough `siblings`.

    Who is given a lead adds to `siblings` what is made of it. The groups take turns: a turn ends
    with the first lead that anything is made of.
    """
    queues: dict[str, deque[tuple[int, _Lead]]] = {}
    for place, lead in enumerate(leads):
        queues.setdefault(lead.case.group, deque()).append((place, lead))
    while queues:
        for group, queue in list(queues.items()):
            count = len(siblings)
            while queue and len(siblings) == count:
                yield queue.popleft()
            if not queue:
                del queues[group]
            if len(siblings) >= MAX_SIBLINGS:
                return


def _leads(
    suite: Suite, documents: Mapping[str, Document], matrix: Mapping[str, ProgramResult]
) -> Iterator[_Lead]:
    nobody: frozenset[str] = frozenset()
    for session in suite.sessions:
        failing = {name: each.cases.get(session.id, nobody) for name, each in matrix.items()}
        for case in session.cases:
            programs = tuple(name for name, cases in failing.items() if case.id in cases)
            if programs and len(session.steps[case.step_index].code) <= _MAX_CODE_CHARS:
                yield _Lead(session, case, documents[session.id], programs)


def _size(document: Mapping[str, Any]) -> tuple[int, int]:
    return len(document["steps"]), sum(len(step["do"]) for step in document["steps"])


def proposals(evaluator: Evaluator, seed: str, count: int) -> dict[str, Document]:
    """Return for each of the programs of `evaluator` the smallest session found that kills it.

    It is looked for among the directed sessions and `count` that are drawn from `seed`.
    """
    drawn = scripts(evaluator.generator, f"{seed}:proposals", count)
    made = session_documents(evaluator.oracle, drawn)
    documents = {f"c{number}": document for number, (_, document) in enumerate(made)}
    suite, matrix = evaluator.matrix(documents, roughly=True)
    maker = _SiblingMaker(evaluator, suite, ())
    leads = sorted(_leads(suite, documents, matrix), key=lambda lead: lead.size)
    found = {}
    for program in evaluator.programs:
        small = maker.first([lead for lead in leads if program.id in lead.programs], program.id)
        if small is not None:
            found[program.id] = small
    return found
