"""Proves what was generated on the reference, and says in it what cases need to be tried alone.

The lines of a scene say what is done, and not which of them change something: `box.take('iron')`
does, and gives back how many are left. As in a derived suite, the reference shows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TypeAlias

from grader.errors import SuiteError
from grader.plugins.authoring.auditing.kill_matrix import prove_reference
from grader.plugins.authoring.generating.drawing import Dispute, has_case, without
from grader.plugins.authoring.generating.evaluator import Document, Evaluator
from grader.plugins.authoring.generating.generation import GenerationResult
from grader.plugins.authoring.needs import Needs
from grader.plugins.authoring.proof import prove_alone
from grader.plugins.authoring.solutions import submission_of
from grader.suite.hidden import Hidden, merged
from grader.suite.model import Suite
from grader.suite.session import Session

_Slot: TypeAlias = tuple[Document, ...]


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
            # What is left when a case is not asked may need something else.
            known = len(done.disputes)
            done = _completed(done, hidden_of(done), needs)
    hidden = hidden_of(done)
    whole = merged(public, hidden).changed(sessions=hidden.sessions)
    runner = evaluator.runner_of(whole)
    prove_reference(runner, evaluator.reference, (*whole.sessions, *whole.siblings))
    with runner.sandbox() as sandbox:
        prove_alone(whole, reference, sandbox)
    return done


def _completed(done: GenerationResult, hidden: Hidden, needs: Needs) -> GenerationResult:
    """Return what was `done` and stands first in `hidden`, with what its cases need."""
    slots, disputes = _completed_slots(done.slots, hidden.sessions, needs)
    small, others = _completed_slots([(each,) for each in done.siblings], hidden.siblings, needs)
    if not slots:
        raise SuiteError(
            "the reference passes no case that the generator makes in a session of its own",
            help="let no case need what a refused line has done",
        )
    return replace(
        done,
        slots=tuple(slots),
        siblings=tuple(sibling for (sibling,) in small),
        disputes=(*done.disputes, *disputes, *others),
    )


def _completed_slots(
    slots: Sequence[_Slot], sessions: Iterable[Session], needs: Needs
) -> tuple[list[_Slot], list[Dispute]]:
    """Return `slots`, of which these are the `sessions`, with what their cases need.

    What nothing helps in one of a slot is asked in none of it.
    """
    left: list[_Slot] = []
    disputes = []
    remaining = iter(sessions)
    for slot in slots:
        found = [needs.of(next(remaining)) for _ in slot]
        complete = [
            {**one, "steps": [step | acts.get(at, {}) for at, step in enumerate(one["steps"])]}
            for one, (acts, _) in zip(slot, found, strict=True)
        ]
        helpless = {case.step_index for _, cases in found for case in cases}
        steps = (slot[0]["steps"][at] for at in sorted(helpless))
        disputes += [Dispute(clause=one["clause"], code=one["do"], solution=None) for one in steps]
        asking = tuple(without(complete, helpless)) if helpless else tuple(complete)
        if has_case(asking[0]):
            left.append(asking)
    return left, disputes
