"""What a submission may use: quickly or counted, at full price or cheaply, and by which clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pytest
import test_hidden_suites
import test_invariants
import test_judge
import test_laid_together
from builders import submission, suite
from lucky_programs import with_other_seeds
from test_judge_limits import ENDLESS_IN_HIDDEN_SESSIONS

from grader.judging.judge import grade
from grader.sandbox import budget as budget_module
from grader.sandbox.zygote import Zygote
from grader.suite.model import Suite

NEVER: Final = 1e-9
"""The part of limits that nobody keeps to: all is counted."""
CORPUS: Final[Mapping[str, tuple[Suite, str]]] = {
    "good": (suite(test_invariants.BODY), test_invariants.GOOD),
    **{
        f"bad: {name}": (suite(test_invariants.BODY), source)
        for name, source in test_invariants.BAD.items()
    },
    **{
        f"in parts: {name}": (test_laid_together.whole(), source)
        for name, source in test_laid_together.PROGRAMS.items()
    },
    **{
        f"hidden: {name}": (test_hidden_suites.whole(), source)
        for name, source in (
            ("right", test_hidden_suites.RIGHT),
            ("copied", test_hidden_suites.COPIED),
            ("wrong", test_hidden_suites.WRONG),
        )
    },
    "endless in hidden sessions": (
        suite(ENDLESS_IN_HIDDEN_SESSIONS),
        "def ends(): return 1\ndef endless():\n    while True: pass\n",
    ),
    "set and chance": (
        suite(test_judge.SEEDED),
        "import random\ndef draw(): return random.choice(sorted({'a', 'b', 'c'}))\n",
    ),
}


@pytest.fixture(scope="module", name="others")
def _others() -> Iterator[Sequence[Zygote]]:
    """Zygotes with other seeds."""
    with with_other_seeds() as others:
        yield others


@pytest.mark.parametrize("name", CORPUS)
def test_the_record_is_the_same_quick_and_counted(
    zygote: Zygote, others: Sequence[Zygote], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether a clock raised a suspicion says nothing of a submission: byte for byte the same."""
    asked, source = CORPUS[name]

    def record() -> str:
        return test_invariants.text_of(grade(asked, submission(source), zygote, lambda: others))

    usual = record()
    monkeypatch.setattr(budget_module, "QUICKLY", NEVER)
    assert usual == record()
