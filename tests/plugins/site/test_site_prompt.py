"""The judge of a site, on executors of this machine: what it says to an editor and at a prompt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from grader.intake.submissions import build_submission, collect_hand_in, single_entry
from grader.judging.rules import KINDS
from grader.plugins.kit.data import encode
from grader.plugins.site import judging
from grader.plugins.site.prompting import Prompt
from grader.sandbox.executor import ExecutorEnded
from grader.sandbox.sandbox import new_sandbox
from grader.suite.exercises import find_suite
from grader.verdict import Verdict

ROOT: Final = Path(__file__).parents[3]
SUITE: Final = find_suite("yinyang", ROOT / "testsuites", KINDS)
REFERENCE: Final = (ROOT / "reference/yinyang/yinyang.py").read_text("utf-8")
ENDLESS: Final = f"{REFERENCE}\ndef endless():\n    while True: pass\n"
BOARD: Final = "board = YinYang(3, [], [])"


@pytest.fixture(scope="module")
def prompt(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prompt]:
    """A prompt at which a right solution is, with a function that never ends."""
    file = tmp_path_factory.mktemp("handed_in") / "yinyang.py"
    file.write_text(ENDLESS, "utf-8")
    submission = build_submission(collect_hand_in(single_entry(file)), SUITE.modules, SUITE.defines)
    with new_sandbox() as sandbox:
        made = Prompt(sandbox, SUITE, submission)
        yield made
        made.end()


def test_session_is_gone_through(prompt: Prompt) -> None:
    """Each line comes with what it gives, and a traceback leads to lines of the submission."""
    lines = [BOARD, "board", "board.maak_wit((9, 9))"]
    imported, *answers = prompt.begin(SUITE.modules, lines)
    assert ("", "") == (imported.code, imported.text)
    assert lines == [answer.code for answer in answers]
    shown = answers[2].text.splitlines()
    assert "Traceback (most recent call last):" == shown[0]
    assert '  File "yinyang.py", line' in shown[1]
    assert "AssertionError: ongeldige actie" == shown[-1]


@pytest.mark.parametrize(
    ("text", "shown", "is_open"),
    [
        ("1 + 1", "2", False),
        ("", "", False),
        ("def twice(n):", "", True),
        ("for n in range(2):\n    print(n)\n", "0\n1", False),
        ("import sys; print('told', file=sys.stderr)", "told", False),
        ("1 +", "Traceback (most recent call last):\nSyntaxError: invalid", False),
        ("input()", "Traceback (most recent call last):\nEOFError: input() was called", False),
        ("exit()", "Je code heeft het programma tijdens deze stap beëindigd", False),
    ],
)
def test_line_is_typed(prompt: Prompt, text: str, shown: str, is_open: bool) -> None:
    """What a line gives is shown as an interpreter shows it; it may want others to follow."""
    list(prompt.begin(SUITE.modules, []))
    answer = prompt.run_typed(text)
    assert answer.text.startswith(shown)
    assert bool(shown) == bool(answer.text)
    assert (is_open, False) == (answer.is_open, answer.has_ended)


@pytest.mark.parametrize(
    ("line", "meaning"),
    [("endless()", "Je code was nog bezig"), ("import os; os._exit(3)", "Je code heeft het prog")],
)
def test_prompt_begins_anew(prompt: Prompt, line: str, meaning: str) -> None:
    """A line that ends the executor says so, as does one of a session; then it begins again."""
    list(prompt.begin(SUITE.modules, []))
    ended = prompt.run_typed(line)
    assert ended.has_ended
    assert ended.text.startswith(meaning)
    *_, last = prompt.begin(SUITE.modules, [BOARD, line, "1 + 1"])
    assert (line, True) == (last.code, last.has_ended)
    list(prompt.begin(SUITE.modules, [BOARD]))
    assert "True" == prompt.run_typed("isinstance(board, YinYang)").text


def test_executor_that_ends_before_the_prompt_is_told(
    prompt: Prompt, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The import has gone well, but no line of the session is run, and nothing is typed."""

    def end(*_arguments: object) -> None:
        raise ExecutorEnded(Verdict.EXITED, "exit code 3")

    monkeypatch.setattr(Prompt, "_run_item", end)
    (answer,) = prompt.begin(SUITE.modules, [BOARD])
    assert ("", True) == (answer.code, answer.has_ended)
    assert answer.text.startswith("Je code heeft het programma")


Judge = Callable[[str], dict[str, Any]]


@pytest.fixture
def judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Judge:
    """What the judge of a page answers when this is handed in."""
    monkeypatch.setattr(judging, "_ROOT", tmp_path / "handed_in")
    monkeypatch.setattr(judging, "WorkerSandbox", lambda _pool, _seed: new_sandbox())
    suite = json.dumps(encode(SUITE.with_changes(advice=False)))

    def judged(text: str) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(
            judging.check_files(None, suite, {"yinyang.py": text.encode()})
        )
        return answer

    return judged


def test_lines_are_marked(judge: Judge) -> None:
    """A line that a failing case points to has its sentence; its session can be gone through."""
    broken = f"{REFERENCE}\nYinYang.isopgelost = lambda self: 1 / 0\n"
    answer = judge(broken)
    (mark,) = answer["marks"]
    assert ("yinyang.py", len(broken.splitlines()), True) == (
        *(mark["file"], mark["line"], mark["isBad"]),
    )
    assert "ZeroDivisionError" in mark["text"]
    assert "puzzel.isopgelost()" in mark["text"]
    first = answer["sessions"][0]
    assert "isopgelost/1" == first["id"]
    assert "puzzel.isopgelost()" == first["lines"][-1]


def test_line_that_is_no_python_is_marked(judge: Judge) -> None:
    """Where nothing can be run, the line is marked at which Python stopped."""
    answer = judge("def f(:\n    pass\n")
    assert [("yinyang.py", 1)] == [(mark["file"], mark["line"]) for mark in answer["marks"]]
    assert [] == answer["sessions"]


def test_right_code_has_no_marks(judge: Judge) -> None:
    """Nothing points to a line of a right solution."""
    answer = judge(REFERENCE)
    assert ([], []) == (answer["marks"], answer["sessions"])
