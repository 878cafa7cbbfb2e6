"""numpy, for the exercises that ask for it, in real executors and real runs."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from builders import HEAD, graded, submission, suite
from executor_sessions import plan_of
from graded_classes import graded_here

from grader.errors import HostError
from grader.intake.submissions import Entry
from grader.judging.judge import grade
from grader.run import worker
from grader.run.tasks import Task
from grader.run.worker import grade_task
from grader.sandbox.lots import Lot, LotPlan
from grader.sandbox.program import Program
from grader.sandbox.sandbox import FreshSandbox, Sandbox, new_sandbox
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import Zygote
from grader.suite.limits import Limits
from grader.suite.vocabulary import (
    GIVABLE_PACKAGES,
    KNOWN_PACKAGES,
    STANDARD_MODULES,
    optional_packages,
)
from grader.verdict import Status, Verdict

ASKS_FOR_NUMPY = "imports: [standard, numpy]\n"


# Executors


@pytest.fixture(scope="module")
def numpy_zygote() -> Iterator[Zygote]:
    """A zygote whose executors can be given numpy."""
    if sys.platform != "linux":
        pytest.skip("a zygote needs Linux")
    with Zygote(packages=["numpy"]) as running:
        yield running


def verdicts(zygote: Zygote, source: str, *steps: tuple[str, str]) -> list[Verdict]:
    """Return the verdicts of `steps`, each a line of code and what is expected of it."""
    lines = "".join(f"      - {{do: {json.dumps(code)}, {key}, group: g}}\n" for code, key in steps)
    body = f"groups:\n  - {{id: g, points: 1}}\nsessions:\n  - id: s\n    steps:\n{lines}"
    record = graded(zygote, f"{ASKS_FOR_NUMPY}{body}", source)
    assert Status.GRADED is record.status, record
    return [case.verdict for case in record.cases]


IMPORTS = "import numpy as np\nimport numpy.typing as npt\nfrom numpy.linalg import solve\n"


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("np.zeros((2, 2))", "returns: 'array([[0., 0.], [0., 0.]])'"),
        ("np.argwhere(np.array([[0, 0], [0, -1]]) != 0)", "returns: 'array([[1, 1]])'"),
        ("np.sort(np.array([3, 1, 2]))", "returns: 'array([1, 2, 3])'"),
        ("np.array([1, 2, 3])[np.array([True, False, True])]", "returns: 'array([1, 3])'"),
        ("np.block([[np.eye(1), np.eye(1)]])", "returns: 'array([[1., 1.]])'"),
        ("solve(np.array([[2, 1], [1, 3]]), [1, 2])", "returns: 'array([0.2, 0.6])'"),
        ("print(np.arange(4).reshape(2, 2))", 'stdout: "[[0 1]\\n [2 3]]"'),
        ("np.random.default_rng(5).integers(0, 9, 3).tolist()", "returns: '[6, 7, 0]'"),
        ("np.random.default_rng().integers(0, 1)", "returns: '0'"),
        ("np.fft.fft([1, 2])", "returns: 'array([3.+0.j, -1.+0.j])'"),
        ("np.median([1, 2])", "returns: 'np.float64(1.5)'"),
        ("np.testing.assert_array_equal([1], [2])", "raises: AssertionError"),
        ("np.save('board.npy', np.eye(2))", "raises: PermissionError"),
        ("(np.ones((300, 300)) @ np.ones((300, 300))).sum()", "returns: '27000000.0'"),
        ("np.ones(10**9)", "raises: MemoryError"),
        ("npt.NDArray is not None", "returns: 'True'"),
    ],
)
def test_what_submissions_do_with_numpy(numpy_zygote: Zygote, code: str, expected: str) -> None:
    """What students use is loaded before the walls go up, and works behind them."""
    assert [Verdict.PASSED] == verdicts(numpy_zygote, IMPORTS, (code, expected))


def test_the_walls_stand_around_numpy(numpy_zygote: Zygote, zygote: Zygote) -> None:
    """A zygote with numpy is held by all that holds the others: it runs a single thread."""
    assert zygote.isolation == numpy_zygote.isolation


def test_random_numbers_are_the_same_in_each_session(numpy_zygote: Zygote) -> None:
    """Without a seed, too, a submission gets the same numbers whenever it is graded."""
    step = ("[int(n) for n in np.random.randint(0, 100, 3)]", "returns: '[44, 47, 64]'")
    for _ in range(2):
        assert [Verdict.PASSED] == verdicts(numpy_zygote, IMPORTS, step)


def test_as_lists_in_a_suite(numpy_zygote: Zygote) -> None:
    """Boards that submissions return are compared with arrays and with lists."""
    source = IMPORTS + "def board(kind): return kind([[1, 1], [1, -1]])\n"
    literal_ = "returns: '[[1, 1], [1, -1]]'"
    assert [Verdict.WRONG, Verdict.PASSED, Verdict.PASSED] == verdicts(
        numpy_zygote,
        source,
        ("board(np.array)", literal_),
        ("board(np.array)", f"{literal_}, as_lists: true"),
        ("board(list)", literal_),
    )


def test_others_do_not_get_it(zygote: Zygote) -> None:
    """Where the suite does not name numpy, a submission is told that it is not allowed."""
    body = """
        groups: [{id: g, points: 1}]
        sessions: [{id: s, steps: [{do: "1", returns: "1", group: g}]}]
    """
    record = graded(zygote, body, "import numpy\nzeros = numpy.zeros(3)\n")
    assert Status.UNGRADABLE is record.status


# Runs

BODY = """
groups: [{id: g, points: 1}]
sessions: [{id: s, steps: [{do: "f()", returns: "1", group: g}]}]
"""
WITH = suite(f"{ASKS_FOR_NUMPY}{BODY}", HEAD.replace("exercise: sample", "exercise: arrays"))
WITHOUT = suite(BODY)


def _entries(folder: Path, source: str, count: int) -> Iterator[Entry]:
    for number in range(count):
        path = folder / f"s{number}"
        path.mkdir(parents=True)
        (path / "sample.py").write_text(dedent(source))
        yield Entry(path.name, path)


def test_a_worker_has_a_sandbox_for_each_set_of_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numpy is loaded once for each worker that needs it, and nobody else pays for it."""
    plain = [Task(WITHOUT, each) for each in _entries(tmp_path / "a", "def f(): return 1", 4)]
    source = "import numpy as np\ndef f(): return np.int64(1)"
    arrays_ = [Task(WITH, each) for each in _entries(tmp_path / "b", source, 4)]
    started: list[tuple[str, ...]] = []

    def noted(packages: tuple[str, ...], seed: int = 0) -> Sandbox:
        started.append(packages)
        return new_sandbox(packages, seed)

    monkeypatch.setattr(worker, "new_sandbox", noted)
    records = graded_here([*plain, *arrays_])
    assert [1.0] * 8 == [records[index].score for index in range(8)]
    assert [(), ("numpy",)] == started
    started.clear()
    graded_here(plain)
    assert [()] == started


def test_where_numpy_is_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run stops before it begins, and says which exercise needs what, and how to get it."""
    (entry,) = _entries(tmp_path, "def f(): return 1", 1)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    tasks = [Task(WITH, entry)]
    for start in (
        lambda: graded_here(tasks),
        lambda: grade_task(tasks[0]),
    ):
        with pytest.raises(HostError) as caught:
            start()
        assert "the exercise arrays needs numpy, which is not installed" == caught.value.message
        assert "pip install 'sessiongrader[numpy]'" == caught.value.help


def test_packages_that_can_be_given() -> None:
    """Each is one that is refused by name where it is not given, and all its parts exist."""
    assert GIVABLE_PACKAGES.keys() <= {*KNOWN_PACKAGES, *sys.stdlib_module_names} - {
        *STANDARD_MODULES
    }
    assert ("numpy",) == optional_packages(["standard", "numpy"])
    assert () == optional_packages(["standard"])
    for name, parts in GIVABLE_PACKAGES.items():
        if importlib.util.find_spec(name) is not None:
            assert all(importlib.util.find_spec(part) is not None for part in parts)


def test_fresh_processes_have_it_too() -> None:
    """Where no zygote can live, an executor of its own is given numpy all the same."""
    with FreshSandbox(["numpy"]) as sandbox:
        record = grade(WITH, submission("import numpy as np\ndef f(): return np.int64(1)"), sandbox)
    assert [Verdict.PASSED] == [case.verdict for case in record.cases]


def test_what_a_session_sets_in_numpy_is_not_set_in_the_next(numpy_zygote: Zygote) -> None:
    """Chance, what is an error and how arrays are printed are those of a fresh executor."""
    source = """
import numpy as np
def f():
    seen = np.random.random(), np.random.default_rng().random(), str(np.array([1 / 3]))
    seen += (repr(np.geterr()), hasattr(np, "mine"))
    np.seterr(all="raise"), np.set_printoptions(precision=2)
    np.random.seed(9), np.random.normal()
    np.mine = 1
    return repr(seen)
"""
    program = Program.from_sources(
        {"sample": ("sample.py", source)}, {}, (*STANDARD_MODULES, "numpy")
    )
    runner = SessionRunner(numpy_zygote, program, Limits())
    alone = runner.run(plan_of("f()"), modules=("sample",))
    assert Lot(runs=[alone] * 3) == runner.run_lot([LotPlan(plan_of("f()"), ("sample",))] * 3)
