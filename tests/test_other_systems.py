"""Where no zygote can live: each executor a fresh process, level 0, and the same verdicts.

What needs no other system is tried in this process; the rest runs in a process that lacks what
macOS and Windows lack, see `other_systems.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from textwrap import dedent
from typing import Any, Final, NoReturn

import pytest
from builders import submission, suite
from executor_sessions import died, plan_of

from grader.errors import HostError, ZygoteError
from grader.judging.judge import grade
from grader.run.needs import require_isolation
from grader.sandbox import sandbox as sandbox_module
from grader.sandbox.budget import Budget
from grader.sandbox.executor import Executor, ExecutorEnded
from grader.sandbox.lots import Lot, LotPlan
from grader.sandbox.observation import Died, Raised, Returned
from grader.sandbox.planning import Item, Role
from grader.sandbox.program import Program
from grader.sandbox.sandbox import FreshProcess, FreshSandbox, Sandbox, new_sandbox
from grader.sandbox.session_runs import SessionRun, executor_limits
from grader.sandbox.sessions import SessionRunner
from grader.sandbox.zygote import ENVIRONMENT, Zygote
from grader.suite.limits import Limits
from grader.values.tree import Atom
from grader.verdict import Verdict

TESTS: Final = Path(__file__).resolve().parent
LIMITS: Final = executor_limits(
    Limits(memory_bytes=1 << 28, output_chars=100, recursion=1_000), session_cpu_s=5
)
SAMPLES: Final = "submissions/yinyang"
GRADED: Final = ("baert_ruben", "goossens_louise", "jacobs_robbe", "maes_noor")
"""Of the samples: one that prints, one that raises, a wrong one, and one with a class misspelt."""
NEEDS_LINUX: Final = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
NEEDS_GROUPS: Final = pytest.mark.skipif(
    not hasattr(os, "killpg"), reason="this system has no process groups"
)
SYSTEMS: Final = pytest.mark.parametrize(
    "system", [pytest.param(name, marks=NEEDS_LINUX) for name in ("macos", "windows")]
)


@pytest.fixture(scope="module")
def fresh() -> Iterator[FreshSandbox]:
    """Executors in fresh processes."""
    with FreshSandbox() as sandbox:
        yield sandbox


def run(
    sandbox: Sandbox, source: str, *codes: str, cpu_s: float = 5, wall_s: float = 30
) -> SessionRun:
    """Run the expressions `codes` on `source`."""
    plan = tuple(
        Item(role=Role.STEP, step_index=index, code=code, is_expression=True, binds=())
        for index, code in enumerate(codes)
    )
    program = Program.of({"sample": ("sample.py", dedent(source))}, {"data/deep.txt": b"deep"})
    limits = Limits(cpu_s=cpu_s, wall_s=wall_s)
    runner = SessionRunner(sandbox, program, limits)
    return runner.run(plan, modules=("sample",))


def test_sessions_that_share_a_process_begin_afresh(fresh: FreshSandbox) -> None:
    """Where a process takes a second to start, a lot of sessions takes one."""
    source = "import random\nseen = []\ndef f(): return seen.append(1), len(seen), random.random()"
    program = Program.of({"sample": ("sample.py", source)}, {})
    runner = SessionRunner(fresh, program, Limits(cpu_s=5, wall_s=30))
    lot = [LotPlan((Item(step_index=0, code="f()"),), ("sample",)) for _ in range(3)]
    assert Lot(runs=[runner.run(lot[0].plan, modules=("sample",))] * 3) == runner.run_lot(lot)


def eventually(holds: Callable[[], bool]) -> bool:
    """Return whether something comes to hold; what never does is told after half a minute."""
    end_s = time.monotonic() + 30
    while not (held := holds()) and time.monotonic() < end_s:
        time.sleep(0.01)
    return held


def is_gone(pid: int) -> bool:
    """Return whether a process has ended, reaped or not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace")
    except FileNotFoundError:
        return True
    return "Z" == status.rpartition(")")[2].split()[0]


# How an executor ends


@pytest.mark.parametrize(
    ("body", "verdict", "evidence"),
    [
        ("while True: pass", Verdict.TIMED_OUT, "units of the step"),
        ("import time; time.sleep(600)", Verdict.TIMED_OUT, "it would sleep too long"),
        ("os._exit(3)", Verdict.EXITED, "exit code 3"),
        pytest.param("os.abort()", Verdict.CRASHED, "signal SIGABRT", marks=NEEDS_GROUPS),
        ("os.closerange(3, 64)", Verdict.EXITED, "exit code 70"),
        ("os.closerange(3, 64)\n    while True: pass", Verdict.CRASHED, "channel closed"),
        ("[os.write(fd, b'x') for fd in range(3, 9) if hit(fd)]", Verdict.TAMPERED, "a reply to"),
    ],
    ids=["loop", "sleep", "exit", "abort", "close", "close and loop", "forge"],
)
def test_the_guilty_step_is_named(
    fresh: FreshSandbox, body: str, verdict: Verdict, evidence: str
) -> None:
    """Steps before it have their observations, the step itself its verdict, the rest nothing."""
    cpu_s = 0.2 if verdict is Verdict.TIMED_OUT else 5.0
    wall_s = 0.5 if "sleep" in body else 30.0  # on a busy machine, of the clock
    source = f"""
import os
def hit(fd):
    try: return os.write(fd, b"x")
    except OSError: return False
def f():
    {body}
"""
    seen = run(fresh, source, "1", "f()", "2", cpu_s=cpu_s, wall_s=wall_s)
    first, last = seen.observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert isinstance(last.outcome, Died)
    assert verdict is last.outcome.verdict
    assert evidence in last.outcome.evidence


def test_a_clock_that_is_no_cpu_time_decides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where CPU time cannot be read, units end a loop as they do elsewhere."""
    monkeypatch.setattr(sandbox_module, "system_clock", lambda: None)
    usage = Budget()
    with FreshSandbox() as sandbox:
        program = Program.of({"sample": ("sample.py", "def f():\n    while True: pass")}, {})
        runner = SessionRunner(sandbox, program, Limits(cpu_s=0.05), usage)
        seen = runner.run(plan_of("f()"), modules=("sample",))
    assert (Verdict.TIMED_OUT, "units of the step") == died(seen.observations[0])
    assert (0.0, False) == (usage.cpu_s, usage.clock_decided)


class Ended:
    """A process that ended before it could be asked; Windows cannot be had here."""

    measures_cpu = False

    def __init__(self, exit_code: int) -> None:
        self.exit_code = exit_code

    def used_s(self) -> float:
        """Return nothing used."""
        return 0.0

    def waited_s(self) -> float:
        """Return nothing waited for."""
        return 0.0

    def send(self, data: bytes, wall_s: float) -> None:
        """Tell that nobody listens."""
        raise ConnectionResetError

    def has_sent(self, wait_s: float) -> bool:
        """Return that nothing came."""
        return False

    def await_end(self, wait_s: float) -> None:
        """Wait for nothing."""

    def receive(self) -> bytes:
        """Tell that nothing comes."""
        raise ConnectionResetError

    def end(self) -> None:
        """Have ended already."""

    def ending(self) -> int:
        """Return the exit code."""
        return self.exit_code


@pytest.mark.parametrize(
    ("exit_code", "verdict", "evidence"),
    [
        (0xC0000005, Verdict.CRASHED, "exit code 0xC0000005"),
        (0xC00000FD, Verdict.CRASHED, "exit code 0xC00000FD"),
        (0x80000003, Verdict.CRASHED, "exit code 0x80000003"),
        (0xFFFFFFFF, Verdict.EXITED, "exit code 4294967295"),
        (3, Verdict.EXITED, "exit code 3"),
        (-int(signal.SIGSEGV), Verdict.CRASHED, "signal SIGSEGV"),
        (-50, Verdict.CRASHED, "channel closed, signal 50"),
    ],
)
def test_exit_codes_of_windows_tell_a_crash(
    exit_code: int, verdict: Verdict, evidence: str
) -> None:
    """An access violation or a stack overflow is a crash, what a program chose is no crash."""
    with pytest.raises(ExecutorEnded) as caught:
        Executor(Ended(exit_code)).ask({}, cpu_s=1, wall_s=1)
    assert (verdict, evidence) == (caught.value.verdict, caught.value.evidence)


def test_a_busy_machine_makes_nobody_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a step counts what its process has computed, not what others did meanwhile."""
    monkeypatch.setattr(sandbox_module, "system_clock", lambda: lambda _pid: 0.5)
    source = "import time\ndef f(): time.sleep(0.3)"
    with FreshSandbox() as sandbox:
        (seen,) = run(sandbox, source, "f()", cpu_s=0.1).observations
    assert isinstance(seen.outcome, Returned)


def test_a_process_that_takes_no_requests_is_given_up() -> None:
    """A pipe that is full does not hold up the judge."""
    process = FreshProcess()
    os.kill(process._process.pid, signal.SIGSTOP)
    with pytest.raises(ExecutorEnded) as caught:
        Executor(process).ask({"much": "x" * 10_000_000}, cpu_s=5, wall_s=0.2)
    assert (Verdict.TIMED_OUT, "the executor did not read requests") == (
        caught.value.verdict,
        caught.value.evidence,
    )


@NEEDS_GROUPS
def test_a_process_that_is_gone_is_told_by_its_end(fresh: FreshSandbox) -> None:
    """Whoever died between two requests died of what it died of."""
    executor = fresh.fork(LIMITS)
    process = fresh._started[0]._process
    process.send_signal(signal.SIGSEGV)
    process.wait()
    with pytest.raises(ExecutorEnded) as caught:
        executor.ask({}, cpu_s=5, wall_s=5)
    assert (Verdict.CRASHED, "signal SIGSEGV") == (caught.value.verdict, caught.value.evidence)


def test_a_flood_does_not_fill_the_judge(fresh: FreshSandbox) -> None:
    """What nobody has asked for stays in the executor, and goes with it."""
    source = """
        import os, threading
        def pour(fd):
            while True:
                try: os.write(fd, bytes(1 << 20))
                except OSError: return
        def f():
            for fd in range(3, 9): threading.Thread(target=pour, args=(fd,), daemon=True).start()
            while True: pass
    """
    (died,) = run(fresh, source, "f()").observations
    assert isinstance(died.outcome, Died)
    assert Verdict.TAMPERED is died.outcome.verdict
    assert all(process._arrived.qsize() <= 4 for process in fresh._started)


@NEEDS_LINUX  # to see what became of it
def test_what_it_started_ends_with_it(fresh: FreshSandbox, tmp_path: Path) -> None:
    """A child of the executor goes where its parent goes, also when that ended by itself."""
    note = tmp_path / "pid"
    source = f"""
        import os
        from threading import Lock
        lock = Lock()
        lock.acquire()
        def f():
            pid = os.fork()
            if not pid:
                for fd in range(64):
                    try: os.close(fd)
                    except OSError: pass
                lock.acquire()
            os.symlink(str(pid), {str(note)!r})
            os._exit(3)
    """
    (died,) = run(fresh, source, "f()").observations
    assert isinstance(died.outcome, Died)
    assert "exit code 3" == died.outcome.evidence
    assert eventually(lambda: is_gone(int(os.readlink(note))))


@NEEDS_LINUX  # to see what became of it
def test_a_child_that_holds_the_channel_open_does_not_hold_up_the_judge(
    fresh: FreshSandbox, tmp_path: Path
) -> None:
    """The last step is out of time when nobody hangs up after it; the child goes as well."""
    note = tmp_path / "pid"
    source = f"""
        import os
        from threading import Lock
        lock = Lock()
        lock.acquire()
        def f():
            pid = os.fork()
            if not pid: lock.acquire()
            os.symlink(str(pid), {str(note)!r})
            return 1
    """
    first, last = run(fresh, source, "1", "f()", wall_s=1).observations
    assert isinstance(first.outcome, Returned)
    assert isinstance(last.outcome, Died)
    assert Verdict.TIMED_OUT is last.outcome.verdict
    assert eventually(lambda: is_gone(int(os.readlink(note))))


def test_all_end_with_their_sandbox() -> None:
    """Who leaves while a session is under way leaves no process behind."""
    with FreshSandbox() as sandbox:
        sandbox.fork(LIMITS)
        processes = [process._process for process in sandbox._started]
        assert [None, None] == [process.poll() for process in processes]
    assert all(process.returncode is not None for process in processes)


# How one starts


def test_an_executor_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """The host's trouble is an error of its own, with the last words; the next one may start."""
    monkeypatch.setattr(sandbox_module, "_PROGRAM", "raise OSError('no more memory')")
    with FreshSandbox() as sandbox:
        with pytest.raises(ZygoteError, match="did not start: OSError: no more memory"):
            sandbox.fork(LIMITS)
        monkeypatch.undo()
        (seen,) = run(sandbox, "", "1").observations
        assert Returned(value=Atom(1), identity=None) == seen.outcome


def test_a_system_without_an_interpreter_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be started at all is told before anything is graded."""
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with pytest.raises(ZygoteError, match="no interpreter can be started: "):
        FreshSandbox()


def test_an_interrupt_while_one_starts_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A Ctrl-C that comes before the executor is handed out ends it."""

    def interrupt(_process: FreshProcess) -> NoReturn:
        raise KeyboardInterrupt

    with FreshSandbox() as sandbox:
        (spare,) = sandbox._started
        monkeypatch.setattr(FreshProcess, "receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            sandbox.fork(LIMITS)
        assert spare.has_ended


@NEEDS_LINUX
def test_a_fresh_process_knows_nothing(fresh: FreshSandbox) -> None:
    """It has the environment that we made, and neither that nor its pipes reach a submission."""
    environment = Path(f"/proc/{fresh._spare._process.pid}/environ").read_bytes()
    assert {f"{name}={value}" for name, value in ENVIRONMENT.items()} == set(
        environment.decode().rstrip("\0").split("\0")
    )
    source = """
        import os, sys
        def f():
            os.write(1, b"loud"), os.write(2, b"loud")
            return len(os.environ), sys.argv == [""], os.read(0, 10) == b""
    """
    (seen,) = run(fresh, source, "str(f())").observations
    assert Returned(value=Atom("(0, True, True)"), identity=None) == seen.outcome


# What a submission finds


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("open('data/deep.txt').read()", "deep"),
        ("open('data\\\\deep.txt').read()", "deep"),
        ("str(os.path.exists('data/deep.txt') and os.path.isdir('data'))", "True"),
        ("str(os.path.isfile('/etc/hosts'))", "False"),
        ("input()", EOFError),
        ("open('/etc/passwd')", FileNotFoundError),
        ("__import__('subprocess').run", "ModuleNotAllowed"),
        ("__import__('grader')", ModuleNotFoundError),
    ],
)
def test_the_surroundings_are_the_same(
    fresh: FreshSandbox, code: str, found: str | type[Exception]
) -> None:
    """Files, modules and `input` are those of an executor behind walls."""
    (seen,) = run(fresh, "import os\n", code).observations
    match seen.outcome:
        case Returned(value=value):
            assert Atom(str(found)) == value
        case Raised(type_names=(name, *_)):
            assert name == (found if isinstance(found, str) else found.__name__)
        case died:
            pytest.fail(str(died))


# Which kind of sandbox


@NEEDS_LINUX
def test_linux_has_zygotes() -> None:
    """Where there can be a zygote, executors are forked."""
    with new_sandbox() as sandbox:
        assert isinstance(sandbox, Zygote)


@pytest.mark.parametrize("platform", ["darwin", "win32", "freebsd14"])
def test_other_systems_have_fresh_processes(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    """Where there can be none, nothing is claimed."""
    monkeypatch.setattr(sys, "platform", platform)
    with new_sandbox() as sandbox:
        monkeypatch.undo()
        assert isinstance(sandbox, FreshSandbox)
        assert (0, ()) == (sandbox.isolation.level, sandbox.isolation.layers)
        with pytest.raises(HostError, match="cannot isolate submissions"):
            require_isolation(sandbox.isolation)


def test_a_record_says_that_nothing_held_it(fresh: FreshSandbox) -> None:
    """The conditions of a report name level 0 and no layer."""
    body = """
        groups: [{id: g, points: 1}]
        sessions: [{id: s, steps: [{do: f(), returns: '1', group: g}]}]
    """
    record = grade(suite(body), submission("def f(): return 1\n"), fresh)
    assert (0, ()) == (record.conditions.isolation, record.conditions.layers)


# On another system


def elsewhere(system: str, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program of ours without what `system` lacks."""
    command = [sys.executable, str(TESTS / "other_systems.py"), system, str(folder), *arguments]
    return subprocess.run(command, cwd=TESTS.parent, capture_output=True, text=True, check=False)


@pytest.mark.commands
@SYSTEMS
def test_every_module_can_be_imported(system: str, tmp_path: Path) -> None:
    """Nothing asks for what is not there before it is needed."""
    done = elsewhere(system, tmp_path, "import")
    assert "" == done.stderr
    files = [each for each in (TESTS.parent / "grader").rglob("*.py") if "parts" not in each.parts]
    modules = [".".join(file.relative_to(TESTS.parent).with_suffix("").parts) for file in files]
    expected = {module.removesuffix(".__init__") for module in modules} - {"grader"}
    assert expected == set(done.stdout.split())


@pytest.mark.commands
@SYSTEMS
def test_check_works_and_warns(system: str, tmp_path: Path) -> None:
    """One's own file is checked as elsewhere, below a line that says what that is worth."""
    done = elsewhere(system, tmp_path, "grader", "check", f"{SAMPLES}/desmet_emma.py")
    assert 0 == done.returncode
    assert "warning: this machine cannot isolate a submission" in done.stderr
    assert "✓ 9 onderdelen zijn goed" in done.stdout


@pytest.mark.commands
@SYSTEMS
def test_a_class_is_refused(system: str, tmp_path: Path) -> None:
    """Strangers' programs are not run without a wall, and the ways out are named."""
    done = elsewhere(system, tmp_path, "grader", "grade", SAMPLES, "--out", str(tmp_path / "out"))
    assert 4 == done.returncode
    assert "this machine cannot isolate submissions" in done.stderr
    assert all(word in done.stderr for word in ("Linux", "WSL2", "CI", "--trust-submissions"))
    assert not (tmp_path / "out" / "results.json").exists()


def summaries(text: str) -> dict[str, Any]:
    """Return what a run gave, without what another system or another clock may change."""
    found = {}
    for one in json.loads(text)["submissions"]:
        del one["isolation"], one["isolation_gaps"]
        for case in one["cases"]:
            # Time on the clock counts twice, so that a group is given up sooner.
            case["verdict"] = case["verdict"].replace("NOT_RUN", "TIMED_OUT")
        found[one["student"]] = one
    return found


@pytest.fixture(scope="module")
def grading(tmp_path_factory: pytest.TempPathFactory) -> Sequence[str]:
    """The words that grade a small class."""
    folder = tmp_path_factory.mktemp("class") / "yinyang"
    folder.mkdir()
    for student in GRADED:
        shutil.copy(TESTS.parent / SAMPLES / f"{student}.py", folder)
    return ("grade", str(folder), "--public", "--no-reports", "--json")


@pytest.fixture(scope="module")
def graded_here(grading: Sequence[str]) -> str:
    """What a run on the class prints on this system."""
    done = subprocess.run(
        [sys.executable, "-c", "from grader.cli.verbs import main; main()", *grading],
        cwd=TESTS.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.corpus  # it grades a class, with a process for each session
@SYSTEMS
def test_trusted_submissions_get_the_same_verdicts(
    system: str, grading: Sequence[str], graded_here: str, tmp_path: Path
) -> None:
    """A class graded on trust has the points, verdicts and remarks that it has behind walls."""
    words = ("grader in this thread", *grading, "--trust-submissions")
    there = elsewhere(system, tmp_path, *words)
    assert 0 == there.returncode, there.stderr
    assert summaries(graded_here) == summaries(there.stdout)
    assert {0} == {one["isolation"] for one in json.loads(there.stdout)["submissions"]}


@pytest.mark.commands
@SYSTEMS
def test_doctor_finds_nothing_in_force(system: str, tmp_path: Path) -> None:
    """The level is 0, with exit code 4."""
    done = elsewhere(system, tmp_path, "grader", "doctor", "--json")
    assert 4 == done.returncode
    document = json.loads(done.stdout)
    assert (0, {0}) == (document["level"], set(document["layers"].values()))


@pytest.mark.commands
@SYSTEMS
def test_an_interrupt_ends_the_executor(system: str, tmp_path: Path) -> None:
    """After a Ctrl-C nothing of the submission goes on."""
    note = tmp_path / "pid"
    own = tmp_path / "yinyang.py"
    own.write_text(f"import os\nos.symlink(str(os.getpid()), {str(note)!r})\nwhile True: pass\n")
    starter = tmp_path / "starter"
    starter.mkdir()
    program = [sys.executable, str(TESTS / "other_systems.py"), system, str(starter)]

    with subprocess.Popen(
        [*program, "grader", "check", str(own), "--exercise", "yinyang"],
        cwd=TESTS.parent,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    ) as judge:
        assert eventually(lambda: note.is_symlink() or judge.poll() is not None)
        judge.send_signal(signal.SIGINT)
        _, said = judge.communicate()
    assert (130, "interrupted") == (judge.returncode, said.strip())
    assert is_gone(int(os.readlink(note)))
