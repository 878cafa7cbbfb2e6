"""What must hold whatever a submission does: secrets stay out, records stay apart and the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from textwrap import dedent

import pytest
from builders import by_id, graded, submission, suite
from graded_classes import graded_by

from grader.intake.submissions import Entry
from grader.judging.judge import grade
from grader.judging.record import Record, to_json
from grader.run.tasks import Task
from grader.sandbox.zygote import Zygote
from grader.verdict import Verdict

BODY = """
    limits: {cpu_s: 0.2, memory_bytes: 100000000, output_chars: 5000}
    groups: [{id: g, points: 3}, {id: h, points: 1}]
    sessions:
    - id: open
      observers: [str(p)]
      steps:
      - {do: p = P(3), group: g}
      - {do: p.cells(), returns: "{'a', 'b', 'c'}", group: g}
      - {do: p.bad(), raises: ValueError, group: g}
      - {do: print(p), stdout: P3, group: g}
    - id: closed
      visibility: hidden
      steps:
      - {do: q = P(4)}
      - {do: q.cells(), returns: "{'a', 'b', 'c', 'd'}", group: h}
      - {do: q.chance(), returns: '0.5', group: h}
"""
GOOD = """
    import random

    class P:
        def __init__(self, n): self.n = n
        def __str__(self): return f"P{self.n}"
        def cells(self): return {"abcd"[i] for i in range(self.n)}
        def bad(self): raise ValueError(self)
        def chance(self): return [random.random(), object(), {"x", "y", "z"}]
"""
BAD = {
    "loop": "while True: pass\n",
    "exit": "import os\nos._exit(0)\n",
    "bomb": "x = []\nwhile True: x.append([0] * 100_000)\n",
    "flood": "while True: print('x' * 1000)\n",
    "crash": "import os\nos.abort()\n",
    "late": "class P:\n  def __init__(self, n): pass\n  def cells(self):\n    while True: pass\n",
    "sabotage": "import builtins, gc, sys\nbuiltins.len = gc.unfreeze()\nsys.modules.clear()\n",
    "writer": """
        import os
        for fd in range(64):
            try: os.write(fd, b"PASSED" * 99)
            except OSError: pass
    """,
    "forker": "import os\nwhile True:\n  try: os.fork()\n  except OSError: break\n",
    "killer": """
        import os
        for pid in (os.getppid(), -1, 0, 1):
            try: os.kill(pid, 9)
            except OSError: pass
    """,
    "syntax": "def f(:\n",
    "empty": "\n",
}


def text_of(record: Record) -> str:
    """Return all of `record` as JSON."""
    return to_json(record).decode()


# The same submission gives the same record


def test_a_record_is_the_same_each_time(zygote: Zygote) -> None:
    """Twice on one zygote, once on another: byte for byte the same."""
    first = text_of(graded(zygote, BODY, GOOD))
    assert first == text_of(graded(zygote, BODY, GOOD))
    with Zygote() as another:
        assert first == text_of(graded(another, BODY, GOOD))
    assert "PASSED" in first
    assert "WRONG" in first


@pytest.mark.parametrize("kind", BAD)
def test_the_record_of_a_bad_submission_is_the_same_each_time(zygote: Zygote, kind: str) -> None:
    """What goes wrong goes wrong in the same way again."""
    assert text_of(graded(zygote, BODY, BAD[kind])) == text_of(graded(zygote, BODY, BAD[kind]))


@pytest.mark.commands
def test_the_hash_seed_of_the_judge_does_not_show(root: Path, zygote: Zygote) -> None:
    """Judges with other hash seeds make the same record."""
    program = dedent("""
        import sys
        sys.path.insert(0, sys.argv[1])
        from test_invariants import BODY, GOOD, text_of
        from builders import graded
        from grader.sandbox.zygote import Zygote
        with Zygote() as zygote:
            print(text_of(graded(zygote, BODY, GOOD)))
    """)
    expected = text_of(graded(zygote, BODY, GOOD))
    for seed in ("0", "1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", program, str(root / "tests")],
            capture_output=True,
            text=True,
            check=True,
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        assert expected.strip() == done.stdout.strip()


def test_judges_side_by_side_make_the_same_records() -> None:
    """Two zygotes at work at the same time, in two threads, do not mix anything up."""
    whole = suite(BODY)
    sources = [GOOD, GOOD.replace("abcd", "abxd"), BAD["exit"], GOOD] * 3
    with Zygote() as one, Zygote() as other, ThreadPoolExecutor(2) as threads:
        alone = [text_of(grade(whole, submission(source), one)) for source in sources]

        def work(zygote: Zygote) -> list[str]:
            return [text_of(grade(whole, submission(source), zygote)) for source in sources]

        assert [alone, alone] == list(threads.map(work, (one, other)))


# One submission changes no other


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_submission_changes_no_other_record(zygote: Zygote, kind: str) -> None:
    """After any bad submission, on the same zygote, a good one has the record that it had."""
    before = text_of(graded(zygote, BODY, GOOD))
    assert graded(zygote, BODY, BAD[kind]).score < 3.0
    assert before == text_of(graded(zygote, BODY, GOOD))


@pytest.mark.commands
def test_a_class_with_every_kind_of_submission(tmp_path: Path) -> None:
    """In any order and with any number of workers, each submission has the record it has alone."""
    whole = suite(BODY)
    entries = []
    for name, source in {"a-good": GOOD, **BAD, "z-good": GOOD}.items():
        path = tmp_path / f"{name}.py"
        path.write_text(dedent(source), encoding="utf-8")
        entries.append(Entry(name, path))

    def records(order: list[Entry], workers: int) -> dict[str, str]:
        found = graded_by(workers, [Task(whole, entry) for entry in order])
        return {one.id: text_of(one) for one in found.values()}

    forth, back = records(entries, 2), records(entries[::-1], 1)
    assert len(entries) == len(forth)
    assert forth == back
    good = [json.loads(forth[name])["record"] for name in ("a-good", "z-good")]
    assert good[0]["groups"] == good[1]["groups"]
    assert {"graded", "ungradable"} == {
        json.loads(text)["record"]["status"] for text in forth.values()
    }


# Nothing secret enters an executor

HUNTER = """
    import gc, sys, types

    def everything():
        gc.unfreeze()
        todo = list(gc.get_objects())
        frame = sys._getframe()
        while frame:
            todo += [frame, frame.f_locals, frame.f_globals, frame.f_code]
            frame = frame.f_back
        todo += list(sys.modules.values())
        seen, texts = set(), []
        while todo:
            thing = todo.pop()
            if id(thing) in seen:
                continue
            seen.add(id(thing))
            if type(thing) is str:
                texts.append(thing)
            elif type(thing) in (bytes, bytearray):
                texts.append(bytes(thing).decode("latin-1"))
            elif type(thing) is types.CodeType:
                todo += [thing.co_consts, thing.co_names, thing.co_filename, thing.co_name]
            elif type(thing) is memoryview:
                todo.append(bytes(thing))
            todo += gc.get_referents(thing)
        return texts

    def hunt(*halves):
        needle = "".join(halves)
        return sorted(text[:200] for text in everything() if needle in text and text != needle)

    def refuse(argument=None):
        raise KeyError(len(everything()))
"""


def test_the_hunter_finds_what_is_there(zygote: Zygote) -> None:
    """A control: text in a step of the same request is found, so the hunt is worth something."""
    body = """
        limits: {cpu_s: 5}
        groups: [{id: g, points: 1}]
        sessions:
        - id: s
          steps:
          - {do: "hunt('zebra', 'fish')", returns: '[]', group: g}
          - {do: "len('zebrafish swims')", returns: '15', group: g}
    """
    record = graded(zygote, body, HUNTER)
    assert ["WRONG", "PASSED"] == [case.verdict.value for case in record.cases]
    assert "zebrafish swims" in (record.cases[0].got or "")


def test_no_expectation_enters_an_executor(zygote: Zygote) -> None:
    """Expectations, ids, titles and notes: a submission that reads all memory finds none."""
    body = """
        limits: {cpu_s: 5}
        spec: zebrafish-spec.md
        groups:
        - {id: zebrafish-g, title: the zebrafish group, points: 1}
        sessions:
        - id: zebrafish-s
          title: the zebrafish session
          visibility: VISIBILITY
          steps:
          - {do: x = 1, note: a zebrafish note}
          - {do: "hunt('zebra', 'fish')", returns: '[]', group: zebrafish-g, case: zebrafish-case}
          - {do: "5", returns: "'a zebrafish value'", group: zebrafish-g}
          - {do: print(1), stdout: zebrafish text, group: zebrafish-g}
          - {do: refuse(), raises: 'KeyError: zebrafish message', group: zebrafish-g}
          - {do: "hunt('zebra', 'fish')", returns: '[]', group: zebrafish-g, case: again}
    """
    for visibility in ("public", "hidden", "staff"):
        record = graded(zygote, body.replace("VISIBILITY", visibility), HUNTER)
        cases = by_id(record)
        for name in ("zebrafish-case", "again"):
            case = cases[f"zebrafish-g/{name}"]
            assert (Verdict.PASSED, None) == (case.verdict, case.got)
        seen = [case.verdict.value for case in record.cases]
        assert ["PASSED", "WRONG", "WRONG", "WRONG", "PASSED"] == seen


@pytest.mark.parametrize("visibility", ["hidden", "staff"])
def test_a_look_does_not_give_away_what_must_be_refused(zygote: Zygote, visibility: str) -> None:
    """Who refuses when somebody has just looked refuses everything, right moves too."""
    body = f"""
        groups: [{{id: g, points: 6}}]
        sessions:
        - id: s
          visibility: {visibility}
          observers: [str(p)]
          steps:
          - {{do: p = P()}}
          - {{do: p.move(1), returns: '1', group: g}}
          - {{do: p.move(9), raises: ValueError, group: g}}
          - {{do: p.move(2), returns: '2', group: g}}
          - {{do: p.move(3), returns: '3', group: g}}
          - {{do: p.move(8), raises: ValueError, group: g}}
          - {{do: p.move(4), returns: '4', group: g}}
    """
    program = """
        class P:
            looked = False
            def __str__(self):
                self.looked = True
                return "P"
            def move(self, n):
                looked, self.looked = self.looked, False
                if REFUSES: raise ValueError
                return n
    """
    sly, never, always, honest = (
        graded(zygote, body, program.replace("REFUSES", refuses))
        for refuses in ("looked", "False", "True", "n > 4")
    )
    seen, all_refused = ([case.verdict for case in each.cases] for each in (sly, always))
    assert all_refused == seen
    assert (2.0, 4.0, 6.0) == (sly.score, never.score, honest.score)


def test_a_hidden_input_is_not_there_before_its_session(zygote: Zygote) -> None:
    """What a later hidden session will ask cannot be found, or answered, ahead."""
    body = """
        limits: {cpu_s: 5}
        groups: [{id: g, points: 1}]
        sessions:
        - id: s
          visibility: hidden
          steps:
          - {do: "hunt('zebra', 'fish')", returns: '[]', group: g}
          - {do: "hunt('hippo', 'griff')", returns: '[]', group: g}
        - id: t
          visibility: hidden
          steps:
          - {do: "len('zebrafish swims')", returns: '15', group: g}
          - {do: "len('hippogriff flies')", returns: '16', group: g}
    """
    record = graded(zygote, body, HUNTER)
    assert ["PASSED"] * 4 == [case.verdict.value for case in record.cases]


def test_hidden_sessions_are_not_there_in_public_ones(zygote: Zygote) -> None:
    """One session knows nothing of another, whatever it leaves behind in its own process."""
    body = """
        limits: {cpu_s: 5}
        groups: [{id: g, points: 1}]
        sessions:
        - id: before
          visibility: hidden
          steps: [{do: "keep('zebrafish swims')", returns: 'None', group: g}]
        - id: s
          steps: [{do: "hunt('zebra', 'fish')", returns: '[]', group: g}]
        - id: after
          visibility: hidden
          steps: [{do: "keep('zebrafish swims')", returns: 'None', group: g}]
    """
    keeper = dedent("""
        import sys
        def keep(what): sys.kept = [what]
    """)
    record = graded(zygote, body, dedent(HUNTER) + keeper)
    assert ["PASSED"] * 3 == [case.verdict.value for case in record.cases]


def test_hidden_sessions_come_after_the_public_ones(zygote: Zygote) -> None:
    """No clock tells a public session, which is shown, how long a hidden one was made to last."""
    body = """
        groups: [{id: g, points: 1}]
        sessions:
        - id: first
          visibility: hidden
          steps: [{do: now(), returns: 'None', group: g}]
        - id: second
          visibility: staff
          steps: [{do: now(), returns: 'None', group: g}]
        - id: third
          steps: [{do: now(), returns: 'None', group: g}]
    """
    record = graded(zygote, body, "from time import monotonic as now\n")
    hidden, staff, public = (float(case.got or "nan") for case in record.cases)
    assert public < hidden < staff


def test_what_a_hidden_session_prints_is_not_remarked(zygote: Zygote) -> None:
    """Whether it printed something would be one bit about an input that nobody is to know."""
    body = """
        groups: [{id: g, points: 1}]
        sessions:
        - id: s
          visibility: hidden
          steps: [{do: f(1), returns: '1', group: g}]
    """
    talker = "def f(n):\n    print(n)\n    return n\n"
    assert () == graded(zygote, body, talker).remarks
    public = graded(zygote, body.replace("hidden", "public"), talker)
    assert ["remark.prints"] == [remark.key for remark in public.remarks]


def test_other_submissions_and_our_environment_are_not_there(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither what was graded before nor what the judge has around it can be found."""
    monkeypatch.setenv("HOME_OF_THE_ZEBRAFISH", "zebrafish")
    body = """
        limits: {cpu_s: 5}
        groups: [{id: g, points: 1}]
        sessions: [{id: s, steps: [{do: "hunt('zebra', 'fish')", returns: '[]', group: g}]}]
    """
    graded(zygote, body, "x = 'the zebrafish of somebody else'\n")
    assert Verdict.PASSED is graded(zygote, body, HUNTER).cases[0].verdict
    with Zygote() as fresh:
        assert Verdict.PASSED is graded(fresh, body, HUNTER).cases[0].verdict


# Verdicts are never read from an executor


@pytest.mark.parametrize(
    "source",
    [
        "class P:\n  __eq__ = lambda s, o: True\n  __hash__ = lambda s: 1\ndef f(n): return P()\n",
        (
            "class P(int):\n  __eq__ = lambda s, o: True\n  __hash__ = int.__hash__\n"
            "def f(n): return P()\n"
        ),
        "class P:\n  __repr__ = __str__ = lambda s: '1'\ndef f(n): return P()\n",
        "class P:\n  __class__ = int\n  __index__ = __int__ = lambda s: 1\ndef f(n): return P()\n",
        "import builtins\nbuiltins.repr = lambda x: '1'\ndef f(n): return object()\n",
        (
            "class M(type):\n  __hash__ = lambda s: hash(int)\n  __eq__ = lambda s, o: True\n"
            "class P(metaclass=M): pass\ndef f(n): return P()\n"
        ),
        "def f(n):\n  print('PASSED')\n  return 'PASSED'\n",
        "def f(n): return {'verdict': 'PASSED', 'points': 1}\n",
        "def f(n): raise SystemExit(0)\n",
        "def f(n):\n  import os\n  os._exit(0)\n",
    ],
)
def test_liars_never_pass(zygote: Zygote, source: str) -> None:
    """Objects that equal everything, display as anything or exit with success earn nothing."""
    body = """
        groups: [{id: g, points: 1}]
        sessions:
        - id: s
          steps:
          - {do: f(1), returns: '1', group: g}
          - {do: f(2), returns: '[1]', group: g}
          - {do: f(3), returns: '{1}', group: g}
    """
    record = graded(zygote, body, source)
    assert 0.0 == record.score
    assert Verdict.PASSED not in {case.verdict for case in record.cases}


def test_the_judge_runs_no_line_of_a_submission(zygote: Zygote, tmp_path: Path) -> None:
    """What a submission would do in the judge's own process does not happen there."""
    trace = tmp_path / "trace"
    source = f"""
        import os, sys
        sys.judged = True
        def touch():
            try: os.close(os.open({str(trace)!r}, os.O_CREAT | os.O_WRONLY))
            except OSError: pass
        touch()
        class P:
            def __init__(self, n): touch()
            def __repr__(self): touch(); return ""
            def __eq__(self, other): touch(); return True
            __str__ = __repr__
            __hash__ = __reduce__ = lambda self: touch() or 1
            def cells(self): return P(0)
            def bad(self): raise type("E", (ValueError,), {{"__str__": lambda e: touch() or ""}})
    """
    record = graded(zygote, BODY, source)
    assert not trace.exists()
    assert not hasattr(sys, "judged")
    assert "sample" not in sys.modules
    assert record.score < 3.0
