"""Cases that passed with nothing to say: what is worked out of one serves all who pass it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from record_samples import case

from grader.judging import passed_results
from grader.judging.passed_results import cache_plain_cases
from grader.judging.record import CaseResult
from grader.verdict import Verdict


def test_work_on_a_plain_case_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """An equal case is another one; of one that failed nothing is kept, and of others so many."""
    monkeypatch.setattr(passed_results, "_MAX_CASES", 2)
    done: list[str] = []

    @cache_plain_cases
    def points(each: CaseResult) -> float:
        done.append(each.id)
        return each.points

    first, failed = case("first"), case("failed", Verdict.WRONG)
    assert points(first) == points(first) == first.points
    assert 2 * [failed.points] == [points(failed), points(failed)]
    assert 3.0 == points(replace(first, points=3.0))
    assert ["first", "failed", "failed", "first"] == done
    points(case("third"))
    points(first)
    assert ["third", "first"] == done[4:]
