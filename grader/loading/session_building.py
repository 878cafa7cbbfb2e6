"""Makes the steps of a session of their forms, and checks what they ask of each other.

Names are followed from step to step: a step can only rely on what an earlier one has bound. After
a step that could not be read anything may be bound, so nothing is said about names any more.
"""

from __future__ import annotations

import builtins
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from grader.loading.code import Code
from grader.loading.document import NodePath
from grader.loading.drafts import SessionDraft
from grader.loading.findings import Findings
from grader.loading.forms import EXPECTATIONS, StepForm, TilingForm
from grader.loading.suggestions import did_you_mean, listed, quoted
from grader.suite import Completes, Expectation, Prints, Raises, Returns, SameAs, Step, Tiles
from grader.values import Atom

_RETURNS_NONE: Final = Returns(Atom(None), "None")
"""What an expression with a group has to do when its step says nothing else."""

_BUILTINS: Final = frozenset(vars(builtins))
_EXCEPTIONS: Final = {
    name: value
    for name, value in sorted(vars(builtins).items())
    if isinstance(value, type) and issubclass(value, BaseException)
}
_ALMOST_THE_SAME: Final = 0.8
"""How alike an unknown exception must be to a known one to be taken for a slip of the pen."""
_NEEDS_GROUP: Final = "add `group:` with the id of a group, or leave this out"


@dataclass(slots=True)
class SessionBuilder:
    """Builds the steps of one session; what is wrong with them goes to `findings`."""

    findings: Findings
    path: NodePath
    draft: SessionDraft
    defines: frozenset[str] | None
    """Names that submissions define, None when those could not be read; of an exercise with several
    modules, the names of these."""
    exceptions: frozenset[str]
    """Names that exceptions of the submission's own may have."""
    _bound: dict[str, None] = field(default_factory=dict)
    """Names that the steps so far have bound, in order."""
    _certain: bool = True
    """False after a step that could not be read."""
    _of_session: dict[str, None] = field(init=False)
    """Names that any step of the session binds."""

    def __post_init__(self) -> None:
        """Look ahead at the names of all steps."""
        forms = (form for form in self.draft.steps if form is not None)
        self._of_session = dict.fromkeys(name for form in forms for name in _binds(form))

    def steps(self) -> Iterator[Step | None]:
        """Yield each step in order, None for one that could not be read."""
        observers = self._session_observers()
        for index, form in enumerate(self.draft.steps):
            if form is None:
                self._certain = False
                yield None
                continue
            path = (*self.path, "steps", index)
            self._check_keys(path, form)
            self._check_names(path, form)
            yield self._step(form, observers)

    def _session_observers(self) -> list[Code]:
        """Return the session's observers, after a look at the names that they read."""
        if self.draft.head is None:
            return []
        if None not in self.draft.steps:
            for index, observer in enumerate(self.draft.head.observers):
                path = (*self.path, "observers", index)
                self._check_observer(path, observer, self._of_session, "no step of the session")
        return self.draft.head.observers

    def _check_observer(
        self, path: NodePath, observer: Code, bound: Collection[str], none_of: str
    ) -> None:
        """Report a name that is nowhere bound: what raises before and after proves nothing."""
        if self.defines is None:
            return
        for name in sorted(observer.reads - _BUILTINS - self.defines):
            if name in bound:
                continue
            message = f"the observer reads {quoted(name)}, which {none_of} binds"
            message += did_you_mean(name, bound)
            self.findings.at_value(path, message, f"names to choose from: {listed(bound)}")

    def _check_keys(self, path: NodePath, form: StepForm) -> None:
        """Report keys of one step that do not go together."""
        report = self.findings.at_key
        given = [key for key in self.findings.document.keys_of(path) if key in EXPECTATIONS]
        for other in given[1:]:
            message = f"a step expects one thing, and {quoted(given[0])} is given already"
            report((*path, other), message, "keep one of them, or make two steps of it")
        if form.group is None:
            for key in [*given[:1], *(["case"] if form.case is not None else [])]:
                report((*path, key), f"{quoted(key)} means nothing without a group", _NEEDS_GROUP)
        if form.unchanged is not None and form.raises is None:
            advice = "observers stand around a step that must raise: add `raises:`"
            report((*path, "unchanged"), "'unchanged' means nothing without 'raises'", advice)
        if form.action and form.raises is not None:
            advice = "give what must be done first a step of its own"
            report((*path, "action"), "a step that must raise is no action", advice)
        if form.as_lists is not None and form.returns is None:
            advice = "it says how a value is compared: add `returns:`"
            report((*path, "as_lists"), "'as_lists' means nothing without 'returns'", advice)
        if form.tiling is not None:
            self._check_tiling((*path, "tiling"), _tiles(form.tiling))
        for key in ("returns", "same_as", "tiling"):
            if key in given and not form.do.is_expression:
                message = f"a statement has no value, so {quoted(key)} means nothing"
                report((*path, key), message, "let an expression on the next step return it")

    def _check_tiling(self, path: NodePath, tiles: Tiles) -> None:
        """Report a board that cannot be there, or that no pieces of three cells can cover."""
        size = f"{tiles.rows} rows and {tiles.columns} columns"
        row, column = tiles.hole
        if row > tiles.rows or column > tiles.columns:
            message = f"the hole {tiles.hole} lies outside a board of {size}"
            self.findings.at_value((*path, "hole"), message, "count rows and columns from 1 on")
        elif (tiles.rows * tiles.columns - 1) % 3:
            message = f"without the hole, {size} are no multiple of 3 cells"
            self.findings.at_value((*path, "rows"), message, "give a board that can be covered")

    def _check_names(self, path: NodePath, form: StepForm) -> None:
        """Report names that this step relies on and that nothing before it has bound."""
        if not self._certain:
            return
        if form.same_as is not None and form.same_as.name not in self._bound:
            name = form.same_as.name
            message = f"no step before this one binds {quoted(name)}"
            message += did_you_mean(name, self._bound)
            advice = f"names to choose from: {listed(self._bound)}"
            self.findings.at_value((*path, "same_as"), message, advice)
        for index, observer in enumerate(form.unchanged or ()):
            at = (*path, "unchanged", index)
            self._check_observer(at, observer, self._bound, "no step before this one")
        if form.raises is not None and self.defines is not None:
            self._check_exception((*path, "raises"), form.raises.type_name)

    def _check_exception(self, path: NodePath, name: str) -> None:
        if name in _EXCEPTIONS or name in self.exceptions or name in self._bound:
            return
        meant = did_you_mean(name, _EXCEPTIONS, _ALMOST_THE_SAME)
        if meant:
            advice = "an exception of the submission's own has to stand in `defines`"
            self.findings.at_value(path, f"unknown exception {quoted(name)}{meant}", advice)

    def _step(self, form: StepForm, observers: list[Code]) -> Step:
        expectation = _expectation(form)
        if form.unchanged is not None:
            observers = form.unchanged
        step = Step(
            code=form.do.text,
            is_expression=form.do.is_expression,
            binds=_binds(form),
            uses=form.do.reads.intersection(self._bound),
            acts=_acts(form, expectation) if form.action is None else form.action,
            expectation=expectation,
            observers=tuple(
                observer.text
                for observer in observers
                if isinstance(expectation, Raises) and self._can_run(observer)
            ),
            note=form.note,
            line=form.line,
        )
        self._bound.update(dict.fromkeys(step.binds))
        return step

    def _can_run(self, observer: Code) -> bool:
        """Return whether all names that the session gives `observer` are bound by now."""
        return all(name in self._bound for name in observer.reads.intersection(self._of_session))


def _binds(form: StepForm) -> tuple[str, ...]:
    """Return what the step leaves bound; of the statement that raises, nothing."""
    return form.do.binds if form.raises is None else form.do.binds_before_last


def _expectation(form: StepForm) -> Expectation | None:
    returns = form.returns
    if returns is not None and form.as_lists:
        returns = replace(returns, as_lists=True)
    tiling = None if form.tiling is None else _tiles(form.tiling)
    given: tuple[Expectation | None, ...]
    given = (returns, form.stdout, form.raises, form.same_as, tiling)
    for expectation in given:
        if expectation is not None:
            return expectation
    if form.group is None:
        return None
    return _RETURNS_NONE if form.do.is_expression else Completes()


def _tiles(form: TilingForm) -> Tiles:
    row, column = form.hole
    return Tiles(rows=form.rows, columns=form.columns or form.rows, hole=(row, column))


def _acts(form: StepForm, expectation: Expectation | None) -> bool:
    """Return whether later steps are taken to build on this one, when it does not say so."""
    match expectation:
        case Raises():
            return False
        case None | SameAs() | Completes() | Returns(Atom(None)):
            return True
        case Returns() | Tiles() | Prints():
            # A statement, or an expression that binds a name on the way.
            return not form.do.is_expression or bool(form.do.binds)
