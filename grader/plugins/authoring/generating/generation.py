"""Draws, selects and cuts the scenes of a generator, and joins them to a hidden suite's sessions.

1.  All scenes of a first draw are kept, without cases that a right solution fails.
2.  Wrong programs run on them: mutants of the reference and of right solutions, and handmade ones.
    For those that pass, scenes of further draws that they fail are added.
3.  Scenes on the same modules are joined to sessions.
4.  Small scenes of still other draws are the siblings, which are shown to who fails a clause.

In the end, the reference shows which earlier steps each case needs if it runs alone. A scene does
not say which of its lines change state: `box.take('iron')` does, and returns how many are left.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Final

from grader.errors import SuiteError
from grader.judging.plain import passed_groups
from grader.plugins.authoring.auditing.kill_matrix import prove_reference
from grader.plugins.authoring.generating.drawing import (
    Dispute,
    SettledScenes,
    has_case,
    setting_of,
    size_of,
    without,
)
from grader.plugins.authoring.generating.evaluator import Document, Evaluator
from grader.plugins.authoring.generating.kinds import cut, failed_places, kinds_of
from grader.plugins.authoring.generating.scenes import PlacedClause
from grader.plugins.authoring.proof import Needs, prove_alone, unsteady
from grader.plugins.authoring.solutions import submission_of
from grader.suite.hidden import Hidden, merged
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.verdict import Visibility

_STEPS_IN_SESSION: Final = 45
_LEAST_CASES: Final = 2
"""Per clause."""
_MAX_ADDED: Final = 40
"""Scenes added for wrong programs that pass all others."""
_SIBLINGS_OF_CLAUSE: Final = 4
MAX_SIBLINGS: Final = 560  # a suite may have 600, with those of its author


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationResult:
    """The result of generating."""

    sessions: tuple[Document, ...]
    siblings: tuple[Document, ...]
    disputes: tuple[Dispute, ...]
    survivors: tuple[str, ...]
    """The wrong programs that pass all sessions."""
    programs: int
    clauses: Mapping[str, PlacedClause]
    """The clauses of the generator."""
    parts: Mapping[str, PlacedClause]
    """The new clauses, made by cutting clauses by kind."""
    kinds: Mapping[str, int]
    """The number of kinds of cases of each uncut clause."""
    broken: Mapping[str, frozenset[str]]
    """The clauses that some wrong programs break, by id of the program."""
    prices: Mapping[str, float] = field(default_factory=dict)
    """The share of all points, from 0 to 1, that each clause earns."""

    @property
    def cases(self) -> int:
        """The number of cases."""
        return sum(_counts(self.sessions).values())

    @property
    def thin(self) -> tuple[str, ...]:
        """Clauses with fewer than two cases."""
        counts = _counts(self.sessions)
        uncut = (name for name, each in self.clauses.items() if not each.cut)
        return tuple(each for each in uncut if counts[each] < _LEAST_CASES)

    @property
    def unshown(self) -> tuple[str, ...]:
        """Clauses without a sibling."""
        shown = _counts(self.siblings)
        return tuple(each for each in self.clauses if not shown[each])


def generate(evaluator: Evaluator, seed: str) -> GenerationResult:
    """Return the sessions and siblings for `seed`. Raises `SuiteError`."""
    drawn = SettledScenes(evaluator, seed)
    scored = drawn.scored()
    added, survivors = _added(evaluator, drawn, scored)
    scenes = [*scored, *added]
    failed = failed_places(evaluator, scenes)
    kinds = kinds_of(scenes, failed)
    clauses = evaluator.generator.clauses
    scenes, parts = cut(scenes, kinds, clauses)
    first, last = scenes[: len(scored)], scenes[len(scored) :]
    sessions = [*_laid_together(first), *_laid_together(last)]
    return GenerationResult(
        sessions=tuple(sessions),
        siblings=tuple(_few(drawn.examples(), sessions)),
        disputes=tuple(drawn.disputes),
        survivors=survivors,
        programs=len(evaluator.programs),
        clauses=clauses,
        parts=parts,
        kinds={name: len(own) for name, own in kinds.items() if not clauses[name].cut},
        broken={
            program: frozenset(scenes[at]["steps"][index]["clause"] for at, index in places)
            for program, places in failed.items()
        },
    )


def _added(
    evaluator: Evaluator, drawn: SettledScenes, scored: Sequence[Document]
) -> tuple[list[Document], tuple[str, ...]]:
    """Return scenes that kill programs which pass the `scored` ones, and the last survivors."""
    named = {f"c{number}": document for number, document in enumerate(scored)}
    tried = evaluator.matrix(named, evaluator.programs, enough=1)
    left = {name for name, result in tried.items() if not result.killed}
    if not left:
        return [], ()
    made = {f"c{number}": document for number, document in enumerate(drawn.further())}
    matrix = evaluator.matrix(made, [each for each in evaluator.programs if each.id in left])
    killed = {
        name: {program for program, result in matrix.items() if name in result.cases}
        for name in made
    }
    added: list[Document] = []
    while made and len(added) < _MAX_ADDED:
        best = max(made, key=lambda name: len(killed[name] & left))
        if not killed[best] & left:
            break
        left -= killed[best]
        added.append(made[best])
    return added, tuple(sorted(left))  # a set has any order


def _laid_together(scenes: Sequence[Document]) -> Iterator[Document]:
    """Yield sessions made of consecutive `scenes`."""
    place = 0
    for _, group in groupby(scenes, key=setting_of):
        for count in _cut([len(each["steps"]) for each in group]):
            parts = scenes[place : place + count]
            yield {**parts[0], "steps": [step for each in parts for step in each["steps"]]}
            place += count


def _cut(sizes: Sequence[int]) -> Iterator[int]:
    """Yield the number of consecutive scenes for each session; no scene is split."""
    count = steps = 0
    for size in sizes:
        if count and steps + size > _STEPS_IN_SESSION:
            yield count
            count = steps = 0
        count, steps = count + 1, steps + size
    if count:
        yield count


def _counts(documents: Iterable[Document]) -> Counter[str]:
    """Return the number of cases of each clause in `documents`."""
    steps = (step for document in documents for step in document["steps"])
    return Counter(step["clause"] for step in steps if "clause" in step)


def _few(draws: Iterable[Sequence[Document]], scored: Sequence[Document]) -> list[Document]:
    """Return small scenes, the smallest first, none of which is `scored`.

    There is room for one of each clause. The first of the `draws` has one for each that counts, and
    is taken whole; of the others is taken what clauses still lack.
    """
    asked = [frozenset(step["do"] for step in each["steps"]) for each in scored]
    taken: dict[tuple[str, ...], Document] = {}
    counts: Counter[str] = Counter()
    first, *others = draws
    every = [*first, *chain(*others)]
    for documents, enough in ((every, 1), (first, math.inf), (every, _SIBLINGS_OF_CLAUSE)):
        for document in documents:
            codes = tuple(step["do"] for step in document["steps"])
            is_new = codes not in taken and not any(one.issuperset(codes) for one in asked)
            clauses = _counts([document])
            lacks = any(counts[each] < enough for each in clauses)
            if is_new and lacks and len(taken) < MAX_SIBLINGS:
                taken[codes] = document
                counts.update(clauses.keys())
    return sorted(taken.values(), key=size_of)


def proven(
    done: GenerationResult,
    evaluator: Evaluator,
    public: Suite,
    hidden_of: Callable[[GenerationResult], Hidden],
) -> GenerationResult:
    """Return what was `done`, with all that its cases need, and without those that nothing helps.

    `hidden_of` makes the hidden suite of it, for the `public` one; there may be more in it. Raises
    `SuiteError` for a case that the reference does not pass, in its session or in one of its own.
    """
    reference = submission_of(public, evaluator.reference, "reference")
    with evaluator.runner_of(public).sandbox() as sandbox:
        needs = Needs(public, reference, sandbox)
        known = None
        while known != len(done.disputes):
            # Without a dropped case, the others may need other steps.
            known = len(done.disputes)
            done = _completed(done, hidden_of(done), needs)
    hidden = hidden_of(done)
    whole = merged(public, hidden).changed(sessions=hidden.sessions)
    runner = evaluator.runner_of(whole)
    prove_reference(runner, evaluator.reference, (*whole.sessions, *whole.siblings))
    with runner.sandbox() as sandbox:
        prove_alone(whole, reference, sandbox)
    everything = whole.changed(sessions=(*whole.sessions, *whole.siblings))
    if lucky := sorted(unsteady(everything, reference)):
        raise SuiteError(
            "on another date or with another random seed, the reference fails cases, "
            f"{len(lucky)} in all, such as {lucky[0]}",
            help="set a seed before random numbers, sort the elements of sets, and write now: in "
            "the settings for results that depend on the date",
        )
    return replace(done, prices=_prices(merged(public, hidden)))


def _prices(whole: Suite) -> dict[str, float]:
    """Return the share of all points of the `whole` suite that each clause earns."""
    clause_of = {
        case.id: session.steps[case.step_index].clause
        for session in whole.sessions
        for case in session.cases
        if session.visibility is not Visibility.PUBLIC
    }
    points: defaultdict[str, float] = defaultdict(float)
    for group in passed_groups(whole):
        for case in group.cases:
            if (clause := clause_of.get(case.id)) is not None:
                points[clause] += case.max_points
    total = sum(group.points for group in whole.groups) or 1  # all groups may be without points
    return {clause: own / total for clause, own in points.items()}


def _completed(done: GenerationResult, hidden: Hidden, needs: Needs) -> GenerationResult:
    """Return what was `done` and stands first in `hidden`, with what its cases need."""
    sessions, disputes = _with_needs(done.sessions, hidden.sessions, needs)
    siblings, others = _with_needs(done.siblings, hidden.siblings, needs)
    if not sessions:
        raise SuiteError(
            "the reference passes no generated case in a session of its own",
            help="write scenes whose cases do not depend on refused lines",
        )
    return replace(
        done,
        sessions=tuple(sessions),
        siblings=tuple(siblings),
        disputes=(*done.disputes, *disputes, *others),
    )


def _with_needs(
    documents: Sequence[Document], sessions: Iterable[Session], needs: Needs
) -> tuple[list[Document], list[Dispute]]:
    """Return `documents`, which are these `sessions`, with what their cases need.

    What nothing helps is not asked.
    """
    left: list[Document] = []
    disputes = []
    for document, session in zip(documents, sessions, strict=False):  # the author's own follow
        acts, cases = needs.of(session)
        steps = [step | acts.get(at, {}) for at, step in enumerate(document["steps"])]
        helpless = {case.step_index for case in cases}
        disputes += [
            Dispute(clause=steps[at]["clause"], code=steps[at]["do"], solution=None)
            for at in sorted(helpless)
        ]
        complete = {**document, "steps": steps}
        asking = without(complete, helpless) if helpless else complete
        if has_case(asking):
            left.append(asking)
    return left, disputes
