"""Records that are renewed on a suite that has changed in part: those that grading would give."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import pytest
from builders import HEAD, submission
from lucky_programs import WORDS, order_of_marks, with_other_seeds

from grader.errors import ZygoteError
from grader.intake.submission import Submission
from grader.judging.judge import Reseeded, goes_well, grade
from grader.judging.record import Record
from grader.judging.renewing import Renewal, renewal
from grader.judging.rules import KINDS
from grader.run.worker import Worker
from grader.sandbox.gate import Gate
from grader.sandbox.zygote import Zygote
from grader.suite.hidden import merged
from grader.suite.loading import parse_hidden_suite, parse_suite
from grader.suite.model import Suite
from grader.suite.outline import SuiteOutline

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="zygotes are for Linux")

LONG: Final = '  - {do: nothing(), returns: "None", group: none}\n' * 21
"""So that all hidden sessions, which run together, are less than half of the steps."""
PUBLIC: Final = f"""{HEAD}
board: {{cells: {{white: w, empty: "-"}}}}
groups: [{{ id: twice, points: 4}}, {{ id: half, points: 2}}, {{ id: none, points: 1}}]
rules:
  constructs: [{{forbid: [while], points: 1, group: half}}]
sessions:
- id: first
  steps:
  - {{do: twice(2), returns: "4", group: twice}}
  - {{do: half(4), returns: "2", group: half}}
- id: second
  steps:
  - {{do: x = 3}}
  - {{do: twice(x), returns: "6", group: twice}}
- id: third
  steps:
  - {{do: half(9), returns: "4", group: half}}
  - {{do: half('a'), raises: TypeError, group: half}}
- id: fourth
  steps:
{LONG}"""
HIDDEN: Final = (
    """\
exercise: sample
generated: {version: 2, seed: "1", reference: "REFERENCE", content: "CONTENT"}
sessions:
""".replace("REFERENCE", "a" * 64).replace("CONTENT", "b" * 64)
    + "".join(
        f"""\
- id: hidden-{number}
  steps:
  - {{do: y = {number}}}
  - {{do: twice(y), returns: "{2 * number}", group: twice}}
  - {{do: half(2 * y), returns: "{number}", group: half}}
"""
        for number in range(10, 16)
    )
    + """\
- {id: pool-a, pool: pool, steps: [{do: twice(70), returns: "140", group: twice}]}
- {id: pool-b, pool: pool, steps: [{do: twice(80), returns: "160", group: twice}]}
siblings:
- {id: s1, steps: [{do: twice(5), returns: "10", group: twice}]}
- {id: s2, steps: [{do: half(8), returns: "4", group: half}]}
"""
)
RIGHT: Final = """
    def twice(n): return 2 * n
    def half(n): return n // 2
    def nothing(): return None
"""
PROGRAMS: Final = {
    "right": RIGHT,
    "public wrong": RIGHT.replace("2 * n", "2 * n if n != 3 else 0"),
    "hidden wrong": RIGHT.replace("2 * n", "2 * n if n < 10 else 0"),
    "one hidden wrong": RIGHT.replace("n // 2", "n // 2 if n != 24 else 0"),
    "no half": RIGHT.replace("def half", "def other"),
    "another error": RIGHT.replace("n // 2", "n // 2 if n != 'a' else {}[n]"),
    "prints": RIGHT.replace("2 * n", "print('x') or 2 * n"),
    "breaks a rule": RIGHT.replace("return n // 2", "while True: return n // 2"),
    "sets": RIGHT.replace("2 * n", "sum({n}) * 2"),
    "lucky": RIGHT.replace("2 * n", f"2 * n if list(set({WORDS})) == {order_of_marks()} else 0"),
    "keeps things": RIGHT.replace(
        "twice(n): return 2 * n",
        "twice(n, kept=[]): kept.append(n); return 2 * n if n != 12 or 10 in kept else 0",
    ),
    "too deep": RIGHT.replace("n // 2", "half(n)"),
    "ends": RIGHT.replace("return n // 2", "exit()"),
    "copied": """
        ANSWERS = {2: 4, 3: 6, 4: 2, 9: 4}
        def twice(n): return ANSWERS[n]
        def half(n): return ANSWERS[n] if n != 'a' else 1 // 'a'
        def nothing(): return None
    """,
    "nothing": "x = 1",
    "no Python": "def",
}


def changed(old: str, new: str) -> tuple[str, str]:
    """Return both parts of the suite with `new` in place of `old`."""
    both = PUBLIC.replace(old, new), HIDDEN.replace(old, new)
    assert both != (PUBLIC, HIDDEN)
    return both


_HEAD, *_SESSIONS, _LAST = PUBLIC.split("- id:")
EDITS: Final = {
    "points": changed("twice, points: 4", "twice, points: 5"),
    "a public expectation": changed('twice(x), returns: "6"', 'twice(x), returns: "7"'),
    "a public step": changed("x = 3", "x = 1 + 2"),
    "a hidden expectation": changed('twice(y), returns: "20"', 'twice(y), returns: "21"'),
    "a hidden step": changed("y = 12}", "y = 16 - 4}"),
    "another number": (
        PUBLIC,
        HIDDEN.replace("y = 10}", "y = 8}")
        .replace('twice(y), returns: "20"', 'twice(y), returns: "16"')
        .replace('half(2 * y), returns: "10"', 'half(2 * y), returns: "8"'),
    ),
    "an alternative": changed("twice(70)", "twice(10 * 7)"),
    "a case more": changed(
        "  - {do: x = 3}\n", '  - {do: x = 3}\n  - {do: half(6), returns: "3", group: half}\n'
    ),
    "a case less": changed('  - {do: half(4), returns: "2", group: half}\n', ""),
    "a case that moves": (
        PUBLIC.replace('  - {do: half(9), returns: "4", group: half}\n', "")
        + '  - {do: half(9), returns: "4", group: half}\n',
        HIDDEN,
    ),
    "a session less": changed(
        '- id: second\n  steps:\n  - {do: x = 3}\n  - {do: twice(x), returns: "6", group: twice}\n',
        "",
    ),
    "a hidden session less": (
        PUBLIC,
        HIDDEN.replace(
            HIDDEN[HIDDEN.index("- id: hidden-14") : HIDDEN.index("- id: hidden-15")], ""
        ),
    ),
    "a session more": (
        PUBLIC + '- {id: fifth, steps: [{do: twice(0), returns: "0", group: twice}]}\n',
        HIDDEN,
    ),
    "another order": (f"{_HEAD}- id:{_LAST}- id:{'- id:'.join(_SESSIONS)}", HIDDEN),
    "a title": changed("- id: second\n", "- id: second\n  title: Another\n"),
    "a limit": (f"limits: {{recursion: 1100}}\n{PUBLIC}", HIDDEN),
    "a rule": changed("forbid: [while]", "forbid: [for]"),
    "a sibling": changed("twice(5)", "twice(2 + 3)"),
}


GRADED: Final = {
    *("a public expectation", "a hidden expectation"),  # nobody gives what is expected now
    *("a limit", "a rule", "a sibling"),
    *("a session less", "another order"),  # luck may have another turn
}
"""What makes all be graded again, right or wrong."""


@pytest.fixture(scope="module")
def others() -> Iterator[Sequence[Zygote]]:
    """Zygotes with the other seeds."""
    with with_other_seeds() as zygotes:
        yield zygotes


def whole(public: str = PUBLIC, hidden: str = HIDDEN) -> Suite:
    """Return a suite with all alternatives."""
    suite = parse_suite(public.encode(), "sample.yaml", KINDS)
    return merged(suite, parse_hidden_suite(hidden.encode(), "sample.hidden.yaml", suite))


def own(suite: Suite, pooled: str = "pool-a") -> Suite:
    """Return `suite` with one session of its pool."""
    return suite.changed(
        sessions=[one for one in suite.sessions if one.pool is None or one.id == pooled]
    )


def tried(
    suite: Suite,
    handed_in: Submission,
    zygote: Zygote,
    gate: Gate,
    others: Reseeded,
    found: Renewal,
) -> bool:
    """Return whether what has to be tried goes well."""
    return goes_well(found, suite, handed_in, zygote, gate, others)


def renewed(
    before: Record,
    old: Suite,
    new: Suite,
    try_it: Callable[[Renewal], bool],
    pooled: str = "pool-a",
) -> Record | None:
    """Return what becomes of `before` on another suite, None if it has to be graded."""
    found = renewal(before, SuiteOutline.of(old), SuiteOutline.of(new), own(new, pooled))
    if found is None or not (found.is_same or try_it(found)):
        return None
    return found.record


@pytest.fixture(scope="module")
def before(zygote: Zygote, others: Sequence[Zygote]) -> dict[str, Record]:
    """The records of all programs on the suite as it was."""
    suite = own(whole())
    return {
        name: grade(suite, submission(source), zygote, Gate(), lambda: others)
        for name, source in PROGRAMS.items()
    }


@pytest.mark.parametrize("edit", EDITS)
def test_renewed_is_as_graded(
    zygote: Zygote, others: Sequence[Zygote], before: dict[str, Record], edit: str
) -> None:
    """Whatever is edited, and whatever a submission does: the very same record, or none."""
    old, new = whole(), whole(*EDITS[edit])
    kept = []
    for name, source in PROGRAMS.items():
        grading = (own(new), submission(source), zygote, Gate(), lambda: others)
        found = renewed(before[name], old, new, partial(tried, *grading))
        if found is not None:
            kept.append(name)
            assert grade(*grading) == found, name
    assert ("right" in kept) is (edit not in GRADED)


def sessions_tried(public: str, hidden: str, before: Record, pooled: str = "pool-a") -> list[str]:
    """Return the sessions that have to be tried for a renewal."""
    new = whole(public, hidden)
    found = renewal(before, SuiteOutline.of(whole()), SuiteOutline.of(new), own(new, pooled))
    assert found is not None
    return [each.id for each in found.sessions]


def test_only_what_has_changed_is_tried(before: dict[str, Record]) -> None:
    """A public session alone; hidden ones with those that run beside them."""
    hidden = [f"hidden-{number}" for number in range(10, 16)]
    assert ["second"] == sessions_tried(*EDITS["a public step"], before["right"])
    assert [*hidden, "pool-a"] == sessions_tried(*EDITS["a hidden step"], before["right"])
    assert [*hidden, "pool-b"] == sessions_tried(PUBLIC, HIDDEN, before["right"], "pool-b")
    assert [] == sessions_tried(*EDITS["points"], before["right"])
    assert [] == sessions_tried(*EDITS["a title"], before["right"])


def test_what_fails_elsewhere_stays(before: dict[str, Record]) -> None:
    """A mistake in another group is told as before, with its transcript and its example."""
    assert ["fourth"] == sessions_tried(
        *changed("nothing()", "(nothing())"), before["hidden wrong"]
    )


def test_most_sessions_changed_are_graded_as_a_whole(before: dict[str, Record]) -> None:
    """To try them and then grade them after all would cost more."""
    hidden, public = changed("y = 1", "y = 0 + 1")[1], changed("nothing()", "(nothing())")[0]
    new = whole(public, hidden)
    assert (
        renewal(before["right"], SuiteOutline.of(whole()), SuiteOutline.of(new), own(new)) is None
    )


def test_luck_that_another_turn_would_show_is_looked_for(
    zygote: Zygote, others: Sequence[Zygote], before: dict[str, Record]
) -> None:
    """Where sessions have their turn with other seeds, who mentions sets is graded as a whole."""
    new, moved = whole(*EDITS["a session less"]), whole(*EDITS["another order"])
    for suite in (new, moved):
        found = renewal(
            before["sets"], SuiteOutline.of(whole()), SuiteOutline.of(suite), own(suite)
        )
        assert found is not None
        assert not found.keeps_turns
        sets = submission(PROGRAMS["sets"])
        assert not goes_well(found, own(suite), sets, zygote, Gate(), lambda: others)


def test_behind_other_walls_nothing_is_renewed(
    zygote: Zygote, others: Sequence[Zygote], before: dict[str, Record]
) -> None:
    """A record says behind which walls its sessions ran, and not of each its own."""
    old, new = whole(), own(whole(*EDITS["a public step"]))
    found = renewal(before["right"], SuiteOutline.of(old), SuiteOutline.of(new), new)
    assert found is not None
    conditions = replace(found.record.conditions, isolation=0)
    lower = replace(found, record=replace(found.record, conditions=conditions))
    right = submission(RIGHT)
    went = [goes_well(one, new, right, zygote, Gate(), lambda: others) for one in (found, lower)]
    assert [True, False] == went


def test_a_sandbox_that_breaks_renews_nothing(
    before: dict[str, Record], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The submission is graded as a whole, with a sandbox that works."""

    def breaks(*_: object) -> bool:
        raise ZygoteError("gone")

    old, new = whole(), own(whole(*EDITS["a public step"]))
    found = renewal(before["right"], SuiteOutline.of(old), SuiteOutline.of(new), new)
    assert found is not None
    monkeypatch.setattr("grader.run.worker.goes_well", breaks)
    with Worker(Gate()) as worker:
        assert worker.renewed(found, new, submission(RIGHT)) is None
        assert before["right"].score == worker.grade(new, submission(RIGHT)).record.score


def test_what_public_sessions_brought_about_stays_with_them(
    zygote: Zygote, others: Sequence[Zygote], before: dict[str, Record]
) -> None:
    """Who prints unasked is told as before where a hidden session has changed, and only there."""
    old, prints = whole(), submission(PROGRAMS["prints"])
    for edit, stays in {"a hidden step": True, "a public step": False}.items():
        new = own(whole(*EDITS[edit]))
        found = renewal(before["prints"], SuiteOutline.of(old), SuiteOutline.of(new), new)
        is_told = found is not None and goes_well(
            found, new, prints, zygote, Gate(), lambda: others
        )
        assert stays is is_told
