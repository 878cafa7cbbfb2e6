"""Draws, selects and cuts the scenes of a generator, and joins them into sessions.

1.  All scenes of a first draw are kept, without cases that a right solution fails.
2.  Wrong programs run on them: mutants of the reference and of right solutions, and handwritten
    ones. For each wrong program that passes, scenes that it fails are added from further draws.
3.  Consecutive scenes with the same set-up are joined into sessions.
4.  Small scenes of yet other draws become the siblings, which are shown to students who fail a
    clause.

Finally, runs of the reference show which earlier steps each case needs when it runs alone. A scene
does not declare which of its lines change state: `box.take('iron')` does, although it returns a
value.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, groupby
from typing import Final

from grader.errors import SuiteError
from grader.judging.passed_results import passed_groups
from grader.plugins.authoring.auditing.kill_matrix import prove_reference
from grader.plugins.authoring.generating.drawing import (
    Dispute,
    SettledScenes,
    has_case,
    setup_key,
    size_key,
    without_cases,
)
from grader.plugins.authoring.generating.evaluator import Document, Evaluator
from grader.plugins.authoring.generating.kinds import cut_clauses, find_failed_places, find_kinds
from grader.plugins.authoring.generating.scenes import PlacedClause
from grader.plugins.authoring.proof import StepNeeds, prove_alone, unsteady_cases
from grader.plugins.authoring.solutions import submission_of
from grader.suite.diagnostics import join_words
from grader.suite.hidden import Hidden, merge_suites
from grader.suite.model import Suite
from grader.suite.session import Session
from grader.values.foreign_text import count_noun
from grader.verdict import Visibility

_MAX_STEPS: Final = 45
"""The largest number of steps in a session of joined scenes. A longer scene stays whole."""
_MIN_CASES: Final = 2
"""The smallest number of cases that a clause should have."""
_MAX_ADDED: Final = 40
"""The largest number of scenes added for wrong programs that pass the scored ones."""
_SIBLINGS_PER_CLAUSE: Final = 4
MAX_SIBLINGS: Final = 560  # a suite can have 600, including those of its author


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationResult:
    """The generated sessions and siblings, and statistics about them."""

    sessions: tuple[Document, ...]
    siblings: tuple[Document, ...]
    disputes: tuple[Dispute, ...]
    survivors: tuple[str, ...]
    """The wrong programs that pass all sessions."""
    program_count: int
    """The number of wrong programs."""
    clauses: Mapping[str, PlacedClause]
    """The clauses of the generator, keyed by id."""
    parts: Mapping[str, PlacedClause]
    """The new clauses that result from cutting clauses by kind of case, keyed by id."""
    kinds: Mapping[str, int]
    """For each clause that is not cut, the number of kinds among its cases."""
    broken: Mapping[str, frozenset[str]]
    """The clauses that a wrong program breaks, for a sample of the wrong programs, keyed by program
    id."""
    prices: Mapping[str, float] = field(default_factory=dict)
    """The share of all points, from 0 to 1, that each clause is worth."""

    @property
    def case_count(self) -> int:
        """The number of cases in all sessions."""
        return sum(_count_cases(self.sessions).values())

    @property
    def thin_clauses(self) -> tuple[str, ...]:
        """The clauses with fewer than two cases, apart from clauses that are cut."""
        case_counts = _count_cases(self.sessions)
        uncut = (name for name, clause in self.clauses.items() if not clause.cut)
        return tuple(clause for clause in uncut if case_counts[clause] < _MIN_CASES)

    @property
    def clauses_without_sibling(self) -> tuple[str, ...]:
        """The clauses without a sibling."""
        sibling_counts = _count_cases(self.siblings)
        return tuple(name for name in self.clauses if not sibling_counts[name])


def generate(evaluator: Evaluator, seed: str) -> GenerationResult:
    """Generate the sessions and siblings for `seed` and return them with statistics.

    Raises `SuiteError` if the generator cannot be used, or contradicts the reference or the other
    right solutions.
    """
    settled = SettledScenes(evaluator, seed)
    scored = settled.scored_scenes()
    added, survivors = _select_added(evaluator, settled, scored)
    scenes = [*scored, *added]
    failed = find_failed_places(evaluator, scenes)
    kinds = find_kinds(scenes, failed)
    clauses = evaluator.generator.clauses
    scenes, parts = cut_clauses(scenes, kinds, clauses)
    # Joined separately, so that added scenes do not change the sessions of the first draw.
    first_draw, added = scenes[: len(scored)], scenes[len(scored) :]
    sessions = [*_join_scenes(first_draw), *_join_scenes(added)]
    return GenerationResult(
        sessions=tuple(sessions),
        siblings=tuple(_select_siblings(settled.examples(), sessions)),
        disputes=tuple(settled.disputes),
        survivors=survivors,
        program_count=len(evaluator.programs),
        clauses=clauses,
        parts=parts,
        kinds={
            name: len(clause_kinds) for name, clause_kinds in kinds.items() if not clauses[name].cut
        },
        broken={
            program: frozenset(
                scenes[scene_index]["steps"][step_index]["clause"]
                for scene_index, step_index in failed_cases
            )
            for program, failed_cases in failed.items()
        },
    )


def _select_added(
    evaluator: Evaluator, settled: SettledScenes, scored: Sequence[Document]
) -> tuple[list[Document], tuple[str, ...]]:
    """Return further scenes that kill programs which pass all `scored` scenes.

    Also return the sorted ids of the programs that survive the returned scenes too.
    """
    scored_by_id = {f"c{number}": document for number, document in enumerate(scored)}
    results = evaluator.matrix(scored_by_id, evaluator.programs, enough=1)
    survivors = {name for name, result in results.items() if not result.killed}
    if not survivors:
        return [], ()
    candidates = {
        f"c{number}": document for number, document in enumerate(settled.further_scenes())
    }
    matrix = evaluator.matrix(
        candidates, [wrong for wrong in evaluator.programs if wrong.id in survivors]
    )
    killed = {
        name: {program for program, result in matrix.items() if name in result.cases}
        for name in candidates
    }
    added: list[Document] = []
    # Greedily, because finding the fewest scenes is a set-cover problem.
    while candidates and len(added) < _MAX_ADDED:
        best = max(candidates, key=lambda name: len(killed[name] & survivors))
        if not killed[best] & survivors:
            break
        survivors -= killed[best]
        added.append(candidates[best])
    return added, tuple(sorted(survivors))  # a set has no fixed order


def _join_scenes(scenes: Sequence[Document]) -> Iterator[Document]:
    """Join consecutive `scenes` with the same set-up, and yield the resulting sessions."""
    start = 0
    for _, group in groupby(scenes, key=setup_key):
        for count in _session_lengths([len(scene["steps"]) for scene in group]):
            members = scenes[start : start + count]
            yield {**members[0], "steps": [step for scene in members for step in scene["steps"]]}
            start += count


def _session_lengths(sizes: Sequence[int]) -> Iterator[int]:
    """Yield the number of consecutive scenes in each session.

    `sizes` has the number of steps of each scene. No scene is split.
    """
    count = steps = 0
    for size in sizes:
        if count and steps + size > _MAX_STEPS:
            yield count
            count = steps = 0
        count, steps = count + 1, steps + size
    if count:
        yield count


def _count_cases(documents: Iterable[Document]) -> Counter[str]:
    """Return the number of cases in `documents` for each clause."""
    steps = (step for document in documents for step in document["steps"])
    return Counter(step["clause"] for step in steps if "clause" in step)


def _select_siblings(
    draws: Iterable[Sequence[Document]], scored: Sequence[Document]
) -> list[Document]:
    """Select small scenes as siblings and return them ordered by size.

    A scene is skipped if all its lines are in a single `scored` session. First take one scene for
    each clause, then the other scenes of the first draw, then scenes for clauses that still have
    too few siblings.
    """
    scored_codes = [frozenset(step["do"] for step in document["steps"]) for document in scored]
    selected: dict[tuple[str, ...], Document] = {}
    counts: Counter[str] = Counter()
    first_draw, *other_draws = draws
    all_scenes = [*first_draw, *chain(*other_draws)]
    for documents, enough in (
        (all_scenes, 1),
        (first_draw, math.inf),
        (all_scenes, _SIBLINGS_PER_CLAUSE),
    ):
        for document in documents:
            codes = tuple(step["do"] for step in document["steps"])
            is_new = codes not in selected and not any(
                lines.issuperset(codes) for lines in scored_codes
            )
            clauses = _count_cases([document])
            is_needed = any(counts[clause] < enough for clause in clauses)
            if is_new and is_needed and len(selected) < MAX_SIBLINGS:
                selected[codes] = document
                counts.update(clauses.keys())
    return sorted(selected.values(), key=size_key)


def complete_and_prove(
    result: GenerationResult,
    evaluator: Evaluator,
    public: Suite,
    hidden_of: Callable[[GenerationResult], Hidden],
) -> GenerationResult:
    """Complete `result` so that the reference passes each case, and prove that it does.

    Steps that cases depend on become actions, and cases that fail alone anyway are dropped. The
    result includes the clauses' shares of the points. `hidden_of` builds the hidden suite for a
    result, including the author's own entries; `public` is the public suite. Raises `SuiteError`
    if the reference fails a case, in its session or in the case's own session, or passes a case
    only by luck.
    """
    reference = submission_of(public, evaluator.reference, "reference")
    with evaluator.create_runner(public).sandbox() as sandbox:
        needs = StepNeeds(public, reference, sandbox)
        dispute_count = None
        while dispute_count != len(result.disputes):
            # Repeated, because a case can depend on other steps once another case is dropped.
            dispute_count = len(result.disputes)
            result = _complete(result, hidden_of(result), needs)
    hidden = hidden_of(result)
    full_suite = merge_suites(public, hidden).with_changes(sessions=hidden.sessions)
    runner = evaluator.create_runner(full_suite)
    prove_reference(runner, evaluator.reference, (*full_suite.sessions, *full_suite.siblings))
    with runner.sandbox() as sandbox:
        prove_alone(full_suite, reference, sandbox)
    with_siblings = full_suite.with_changes(sessions=(*full_suite.sessions, *full_suite.siblings))
    if lucky_ids := sorted(unsteady_cases(with_siblings, reference)):
        raise SuiteError(
            "on another date or with another random seed, the reference fails "
            f"{count_noun(len(lucky_ids), 'case')}: {join_words(lucky_ids)}",
            help="set the random seed in the scene, sort the elements of sets, and set now: in "
            "exercise.yaml if results depend on the date",
        )
    return replace(result, prices=_clause_shares(merge_suites(public, hidden)))


def _clause_shares(suite: Suite) -> dict[str, float]:
    """Return the share of all points that each clause is worth outside public sessions."""
    clause_of = {
        case.id: session.steps[case.step_index].clause
        for session in suite.sessions
        for case in session.cases
        if session.visibility is not Visibility.PUBLIC
    }
    points: defaultdict[str, float] = defaultdict(float)
    for group in passed_groups(suite):
        for case in group.cases:
            if (clause := clause_of.get(case.id)) is not None:
                points[clause] += case.max_points
    total = sum(group.points for group in suite.groups) or 1  # all groups can have 0 points
    return {clause: clause_points / total for clause, clause_points in points.items()}


def _complete(result: GenerationResult, hidden: Hidden, needs: StepNeeds) -> GenerationResult:
    """Return `result` with the steps that its cases depend on marked as actions.

    `hidden` is the hidden suite of `result`. Cases that fail alone anyway are dropped, which adds
    disputes. Raises `SuiteError` if no session is left.
    """
    sessions, disputes = _add_needed_steps(result.sessions, hidden.sessions, needs)
    siblings, sibling_disputes = _add_needed_steps(result.siblings, hidden.siblings, needs)
    if not sessions:
        raise SuiteError(
            "the reference fails every generated case in a session of its own",
            help="in generator.py, draw scenes whose cases do not depend on refused lines",
        )
    return replace(
        result,
        sessions=tuple(sessions),
        siblings=tuple(siblings),
        disputes=(*result.disputes, *disputes, *sibling_disputes),
    )


def _add_needed_steps(
    documents: Sequence[Document], sessions: Iterable[Session], needs: StepNeeds
) -> tuple[list[Document], list[Dispute]]:
    """Return `documents` with the steps that their cases depend on marked as actions.

    `sessions` begins with the same sessions in parsed form. Cases that fail alone anyway are
    dropped, and returned as disputes.
    """
    remaining: list[Document] = []
    disputes = []
    # Not strict, because the author's sessions come after the generated ones.
    for document, session in zip(documents, sessions, strict=False):
        fields, failing_cases = needs.needed_fields(session)
        steps = [step | fields.get(index, {}) for index, step in enumerate(document["steps"])]
        failing_indexes = {case.step_index for case in failing_cases}
        disputes += [
            # No solution is named, because it is the reference itself that fails the case.
            Dispute(clause=steps[index]["clause"], code=steps[index]["do"], solution=None)
            for index in sorted(failing_indexes)
        ]
        completed = {**document, "steps": steps}
        without_failing = (
            without_cases(completed, failing_indexes) if failing_indexes else completed
        )
        if has_case(without_failing):
            remaining.append(without_failing)
    return remaining, disputes
