"""Real executors: how they end, what they answer, and what a submission finds in one."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from textwrap import dedent
from threading import Event
from typing import Any

import pytest

from grader.decoding import decode
from grader.errors import ZygoteError
from grader.limits import Limits
from grader.observation import Died, Observation, Raised, Returned
from grader.planning import Item, Role
from grader.program import Program
from grader.protocol import MAX_STDOUT_CHARS, NONCE_BYTES
from grader.sandbox import zygote as zygote_module
from grader.sandbox.executor import ExecutorEnded
from grader.sandbox.probing import probe
from grader.sandbox.zygote import Zygote
from grader.sessions import Gate, SessionRun, SessionRunner
from grader.values import Atom, Value
from grader.verdict import Verdict

QUICK = Limits(cpu_s=0.3, wall_s=5.0)
KERNEL_LIMITS = {
    "memory_bytes": 1 << 28,
    "session_cpu_s": 5,
    "output_chars": 1_000,
    "recursion": 5_000,
}
FILES = {"akari.txt": "1 1\n\u25cf\n".encode(), "data/deep.txt": b"deep", "latin.txt": b"\xe9"}


def run(
    zygote: Zygote,
    source: str,
    *codes: str,
    limits: Limits = QUICK,
    lockstep: bool = False,
    modules: Mapping[str, str] | None = None,
) -> SessionRun:
    """Run the expressions `codes` on `source` in a session of its own."""
    sources = {name: (f"{name}.py", dedent(text)) for name, text in (modules or {}).items()}
    sources["sample"] = ("sample.py", dedent(source))
    plan = tuple(
        Item(role=Role.STEP, step_index=index, code=code, is_expression=True, binds=())
        for index, code in enumerate(codes)
    )
    runner = SessionRunner(zygote, Program.of("sample", sources, FILES), limits, Gate())
    outcome = runner.run(plan, lockstep=lockstep)
    assert outcome is not None, runner.compile_error
    return outcome


def gave(
    zygote: Zygote, source: str, code: str = "f()", modules: Mapping[str, str] | None = None
) -> Value:
    """Return the value of one expression, which must not fail."""
    (observation,) = run(zygote, source, code, modules=modules).observations
    assert isinstance(observation.outcome, Returned), observation
    return observation.outcome.value


def python(value: object) -> Value:
    """Return a built-in `value` as the judge sees it."""
    tags: dict[type, str] = {list: "l", tuple: "t"}

    def tagged(each: object) -> object:
        if isinstance(each, list | tuple):
            return [tags[type(each)], [tagged(item) for item in each]]
        return each

    return decode(tagged(value))


def raised(observation: Observation) -> tuple[str, str]:
    """Return type and message of the exception that a step raised."""
    assert isinstance(observation.outcome, Raised), observation
    return observation.outcome.type_names[0], observation.outcome.message


def died(observation: Observation) -> tuple[Verdict, str]:
    """Return how the executor died in a step."""
    assert isinstance(observation.outcome, Died), observation
    return observation.outcome.verdict, observation.outcome.evidence


# How an executor ends


@pytest.mark.parametrize("lockstep", [False, True], ids=["batch", "lockstep"])
@pytest.mark.parametrize(
    ("body", "verdict", "evidence"),
    [
        ("while True: pass", Verdict.TIMED_OUT, "CPU limit of the step"),
        ("import os; os._exit(0)", Verdict.EXITED, "exit code 0"),
        ("import os; os._exit(3)", Verdict.EXITED, "exit code 3"),
        ("import os; os.abort()", Verdict.CRASHED, "signal SIG"),
        ("import os; os.closerange(3, 64)", Verdict.EXITED, "exit code 70"),
        (
            "import os\n    os.closerange(3, 64)\n    while True: pass",
            Verdict.CRASHED,
            "channel closed, signal SIGKILL",
        ),
    ],
    ids=["loop", "exit", "exit 3", "abort", "close", "close and loop"],
)
def test_the_guilty_step_is_named(
    zygote: Zygote, body: str, verdict: Verdict, evidence: str, lockstep: bool
) -> None:
    """Steps before it have their observations, the step itself its verdict, the rest nothing."""
    source = f"def f():\n    {body}\n"
    seen = run(zygote, source, "1", "f()", "2", lockstep=lockstep)
    assert seen.loaded
    first, last = seen.observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert verdict is died(last)[0]
    assert evidence in died(last)[1]


def test_sleep_is_ended_by_the_clock_on_the_wall(zygote: Zygote) -> None:
    """Code that sleeps uses no CPU time; it is given up on all the same."""
    source = "import time\ndef f(): time.sleep(600)\n"
    seen = run(zygote, source, "f()", limits=Limits(cpu_s=5, wall_s=0.2), lockstep=True)
    assert (Verdict.TIMED_OUT, "clock on the wall") == died(seen.observations[0])


def test_only_the_wall_is_doubtful(zygote: Zygote) -> None:
    """A limit that a busy machine can bring about is told apart from one that it cannot."""
    load: dict[str, object] = {"files": {}, "imports": ["time"], "keep": False}
    loop = {"import": "m", "code": "", "binds": []}
    for limit, doubtful in (("cpu", False), ("wall", True)):
        source = "while True: pass" if limit == "cpu" else "import time; time.sleep(600)"
        load["modules"] = {"m": {"file": "m.py", "source": source}}
        executor = zygote.fork(KERNEL_LIMITS)
        executor.ask(load, cpu_s=1, wall_s=10)
        with pytest.raises(ExecutorEnded) as caught:
            executor.ask(loop, cpu_s=0.1, wall_s=10 if limit == "cpu" else 0.1)
        assert (Verdict.TIMED_OUT, doubtful) == (caught.value.verdict, caught.value.doubtful)


def test_the_kernel_keeps_the_limit_of_the_session(zygote: Zygote) -> None:
    """Steps that are each within their limit may not be too long together."""
    source = "def f():\n  n = 0\n  while True: n += 1\n"
    seen = run(zygote, source, "f()", limits=Limits(cpu_s=30, session_cpu_s=1), lockstep=True)
    assert (Verdict.TIMED_OUT, "CPU limit of the session") == died(seen.observations[0])


def test_an_executor_that_ended_can_be_ended_again(zygote: Zygote) -> None:
    """Ending is for always, and more than once does no harm."""
    executor = zygote.fork(KERNEL_LIMITS)
    executor.end()
    executor.end()
    assert Atom(1) == gave(zygote, "", "1")


# Replies that are not ours

THIEF = """
import json, os, struct, sys

def channel():
    frame = sys._getframe()
    while True:
        for value in list(frame.f_locals.values()):
            if type(value).__name__ == "Channel":
                return value
        frame = frame.f_back

def forge(payload, nonce=None, length=None, more=b""):
    mine = channel()
    if not isinstance(payload, bytes):
        payload = json.dumps(payload, separators=(',', ':')).encode()
    length = 8 + len(payload) if length is None else length
    os.write(mine._fd, struct.pack(">I8s", length, nonce or mine._nonce) + payload + more)

def answer(*values):
    return {"observations": [
        {"value": v, "id": None, "bound": {}, "stdout": "", "overflow": False} for v in values
    ]}

def blind(data):
    for fd in range(64):
        try:
            os.write(fd, data)
        except OSError:
            pass

old = []
def remember():
    old.append(channel()._nonce)
    return 1
"""


@pytest.mark.parametrize("lockstep", [False, True], ids=["batch", "lockstep"])
@pytest.mark.parametrize(
    "attack",
    [
        "blind(b'garbage' * 10)",
        "blind(bytes(12))",
        "blind(bytes(100_000))",
        "forge(b'', length=8)",
        "forge(b'', length=0)",
        "forge(b'', length=2**32 - 1)",
        "forge(b' ' * 2**20, length=5 * 2**20)",
        "forge(b'not json')",
        "forge(b'[' * 100_000)",
        "forge(b'\\xff\\xfe{}')",
        "forge(b'1' * 10_000)",
        "forge([])",
        "forge(None)",
        "forge({})",
        "forge({'observations': None})",
        "forge({'observations': []})",
        "forge({'observations': {}})",
        "forge({'observations': [None] * 3})",
        "forge({'observations': answer(1)['observations'] * 1000})",
        "forge(answer(42, 42, 42) | {'verdict': 'PASSED'})",
        "forge({'verdict': 'PASSED'})",
        "forge(answer(['!', 'list', []]))",
        "forge(answer(42), more=b'surplus')",
        "forge(answer(42), nonce=b'12345678')",
        "forge(answer(42), nonce=old[0][::-1])",
        "forge(answer(42, 42, 42), nonce=bytes(8))",
    ],
)
def test_forged_replies_end_the_session(zygote: Zygote, attack: str, lockstep: bool) -> None:
    """Anything malformed, surplus or to another request is tampering; nothing counts after it."""
    source = f"{THIEF}\ndef f():\n    {attack}\n    os._exit(0)\n"
    seen = run(zygote, source, "remember()", "f()", "1", lockstep=lockstep)
    first, last = seen.observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    assert Verdict.TAMPERED is died(last)[0]


def test_who_answers_and_ends_has_answered(zygote: Zygote) -> None:
    """The end of a channel is no surplus, however soon it follows; the next step finds it gone."""
    source = f"{THIEF}\ndef f():\n    forge(answer(42))\n    os._exit(0)\n"
    for _ in range(20):
        seen = run(zygote, source, "f()", "1", lockstep=True)
        first, last = seen.observations
        assert Returned(value=Atom(42), identity=None) == first.outcome
        assert (Verdict.EXITED, "exit code 0") == died(last)


def test_decimals_are_written_in_one_way(zygote: Zygote) -> None:
    """A submission's own decimal context, and numbers beyond all floats, are no forgeries."""
    source = """
        from decimal import Decimal, getcontext
        getcontext().capitals = 0
        def f(): return {Decimal("1E+400"), Decimal("1E+401"), Decimal("1E+30")}
    """
    seen = run(zygote, dedent(source), "f()")
    assert isinstance(seen.observations[0].outcome, Returned)


def test_what_cannot_be_encoded_has_not_been_numbered(zygote: Zygote) -> None:
    """A value that raises while it is encoded leaves the numbers of later objects alone."""
    source = """
        from dataclasses import dataclass
        @dataclass
        class C:
            n: int
        def f():
            c = C(1)
            def leave(self): raise SystemExit
            C.n = property(leave)
            return c
    """
    seen = run(zygote, dedent(source), "(x := f())", "[1]", lockstep=True)
    first, last = (observation.outcome for observation in seen.observations)
    assert isinstance(first, Raised)
    assert isinstance(last, Returned)


def test_zygote_reaches_what_the_probe_promises(zygote: Zygote) -> None:
    """What `grader doctor` finds is what executors get, with the modules of submissions loaded."""
    level, layers = probe()
    assert (level, layers) == (zygote.isolation.level, zygote.isolation.layers)


def test_nonces_are_used_once(zygote: Zygote) -> None:
    """The nonce of an earlier request is worth nothing, nor can the next one be guessed."""
    source = (
        f"{THIEF}\ndef f(): forge(answer(42), nonce=old[0])\ndef g(): return old[0] == old[1]\n"
    )
    seen = run(zygote, source, "remember()", "remember()", "g()", "f()", lockstep=True)
    assert Returned(value=Atom(False), identity=None) == seen.observations[2].outcome  # noqa: FBT003
    assert (Verdict.TAMPERED, "a reply to another request") == died(seen.observations[3])


@pytest.mark.parametrize("lockstep", [False, True], ids=["batch", "lockstep"])
def test_a_single_byte_too_many_spoils_a_reply(zygote: Zygote, lockstep: bool) -> None:
    """Our own reply behind a byte of the submission is no reply of ours any more."""
    seen = run(zygote, f"{THIEF}\ndef f(): blind(b'x')\n", "f()", "1", lockstep=lockstep)
    assert [(Verdict.TAMPERED, "a reply to another request")] == list(map(died, seen.observations))


@pytest.mark.parametrize("lockstep", [False, True], ids=["batch", "lockstep"])
def test_a_forged_answer_is_worth_its_own_step_only(zygote: Zygote, lockstep: bool) -> None:
    """Who answers for our code can say what his own step gave at most; no later one is answered."""
    source = f"{THIEF}\ndef f():\n    forge(answer(42))\n    os._exit(0)\n"
    first, *forged, last = run(zygote, source, "1", "f()", "2", lockstep=lockstep).observations
    assert Returned(value=Atom(1), identity=None) == first.outcome
    # Whether the judge sees its end before the next request is a matter of timing.
    own = Returned(value=Atom(42), identity=None)
    assert [each.outcome for each in forged] in ([], [own])
    assert died(last)[0] in {Verdict.EXITED, Verdict.TAMPERED}


def test_a_false_word_that_a_reply_is_too_long_gains_nothing(zygote: Zygote) -> None:
    """The executor's word for a reply over the cap ends the step as too much output."""
    source = f"{THIEF}\ndef f():\n    forge({{'too_long': True}})\n    os._exit(0)\n"
    seen = run(zygote, source, "1", "f()", "2")
    assert Verdict.OUTPUT is died(seen.observations[1])[0]
    assert 2 == len(seen.observations)


def test_a_reply_over_the_cap_is_no_crash(zygote: Zygote) -> None:
    """Values within all budgets can be too long together: a batch is split, a step given up."""
    name = "\u00e9" * 200
    source = f"class {name}: pass\ndef f(): return [{name}() for _ in range(19_000)]\n"
    seen = run(zygote, source, "1", "f()", "2")
    assert (Verdict.OUTPUT, "reply too long") == died(seen.observations[1])


def test_long_replies_of_a_batch_are_fetched_one_by_one(zygote: Zygote) -> None:
    """A session whose replies fit one by one is not punished for being long."""
    codes = ["f()"] * 60
    seen = run(zygote, "def f(): return 'x' * 99_000\n", *codes)
    assert [Atom("x" * 99_000)] * 60 == [
        each.outcome.value for each in seen.observations if isinstance(each.outcome, Returned)
    ]


def test_a_failed_import_cannot_bring_observations_along(zygote: Zygote) -> None:
    """After an import that raised there is nothing to observe; a reply that has more is forged."""
    error = "{'types': ['E'], 'message': '', 'depth': 0, 'frames': []}"
    failed = f"{{'raised': {error}, 'stdout': '', 'overflow': False}}"
    reply = f"{{'observations': [{failed}, *answer(42)['observations']]}}"
    source = f"{THIEF}\nforge({reply})\nos._exit(0)\n"
    seen = run(zygote, source, "1")
    assert not seen.loaded
    assert [] == seen.observations
    assert Verdict.TAMPERED is died(seen.imported.observation)[0]


# The zygote


def test_a_dead_zygote_takes_no_orders() -> None:
    """The host's trouble is an exception, never a verdict."""
    with Zygote() as doomed:
        os.kill(doomed._process.pid, signal.SIGKILL)
        doomed._process.wait()
        with pytest.raises(ZygoteError) as caught:
            doomed.fork(KERNEL_LIMITS)
        assert caught.value.exit_code == 4


def test_a_zygote_that_dies_during_a_session_is_no_verdict() -> None:
    """An executor that dies because its zygote did is not the submission's fault."""
    with Zygote() as doomed:
        executor = doomed.fork(KERNEL_LIMITS)
        os.kill(doomed._process.pid, signal.SIGKILL)
        doomed._process.wait()
        with pytest.raises(ZygoteError):
            executor.ask(
                {"modules": {}, "files": {}, "imports": [], "keep": False}, cpu_s=1, wall_s=5
            )


def test_a_zygote_that_breaks_says_why() -> None:
    """The last line that the zygote wrote stands in the error."""
    with Zygote() as doomed:
        doomed._control.send(b"R-not-a-number")
        with pytest.raises(ZygoteError, match=r"the zygote .*: ValueError: invalid literal"):
            doomed._answer()


def test_a_zygote_that_does_not_start_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broken installation is reported with the interpreter's own words."""
    monkeypatch.setattr(zygote_module, "PACKAGE_ROOT", "/nowhere")
    with pytest.raises(ZygoteError, match="did not start: ModuleNotFoundError") as caught, Zygote():
        pass
    assert "grader doctor" in (caught.value.help or "")


def test_spare_executors_have_the_limits_that_were_asked(zygote: Zygote) -> None:
    """An executor that was ordered ahead is used for the same limits only."""
    source = (
        "import sys\ndef f():\n  sys.setrecursionlimit(10**9)\n  return sys.getrecursionlimit()\n"
    )
    for ceiling in (4_000, 4_000, 5_000, 4_000):
        (observation,) = run(zygote, source, "f()", limits=Limits(recursion=ceiling)).observations
        assert Returned(value=Atom(ceiling), identity=None) == observation.outcome


def test_executors_do_not_see_each_other(zygote: Zygote) -> None:
    """What one session leaves behind in its interpreter is gone in the next."""
    source = "import sys\ndef f():\n  sys.seen = getattr(sys, 'seen', 0) + 1\n  return sys.seen\n"
    assert [Atom(1)] * 3 == [gave(zygote, source) for _ in range(3)]


# What a submission finds


def test_the_process_tells_nothing(zygote: Zygote) -> None:
    """No environment, no arguments, no path, no module of ours, nothing on standard input."""
    source = """
        import os, sys
        def f():
            ours = [name for name in sys.modules if name.startswith("grader")]
            return (
                len(os.environ), sys.argv, sys.path, ours, sys.stdin.read(), __name__, __file__
            )
    """
    assert python((0, [""], [], [], "", "sample", "sample.py")) == gave(zygote, source)


def test_text_streams(zygote: Zygote) -> None:
    """Printing is kept per step, errors apart from it; streams can be asked what programs ask."""
    source = """
        import sys
        print("import")
        def f():
            print("out", end="")
            print("err", file=sys.stderr)
            sys.stdout.write("!")
            sys.stdout.flush()
            sys.stdout.reconfigure(encoding="utf-8")
            return sys.stdout.isatty(), sys.stdout.encoding
    """
    seen = run(zygote, source, "f()", "print('x')")
    assert "import\n" == seen.imported.observation.stdout
    assert ["out!", "x\n"] == [each.stdout for each in seen.observations]
    first = seen.observations[0].outcome
    assert isinstance(first, Returned)
    assert python((False, "utf-8")) == first.value


def test_a_stream_that_was_replaced_is_put_back(zygote: Zygote) -> None:
    """A step that forgets to restore `sys.stdout` does not silence the next."""
    source = "import io, sys\ndef f():\n  sys.stdout = io.StringIO()\n  print('lost')\n"
    assert ["", "x\n"] == [
        each.stdout for each in run(zygote, source, "f()", "print('x')").observations
    ]


def test_too_much_output_is_remembered(zygote: Zygote) -> None:
    """A flood is cut off, also where the submission swallows every exception."""
    source = """
        def flood():
            while True:
                print("x" * 100)
        def swallowed():
            for _ in range(100):
                try:
                    print("x" * 100)
                except BaseException:
                    pass
            return 5
    """
    limits = Limits(output_chars=1_000)
    for code in ("flood()", "swallowed()"):
        first, second = run(zygote, source, code, "print(1)", limits=limits).observations
        assert first.overflowed
        assert len(first.stdout) <= MAX_STDOUT_CHARS
        assert ("1\n", False) == (second.stdout, second.overflowed)


@pytest.mark.parametrize(
    ("code", "type_name", "message"),
    [
        ("input('?')", "EOFError", "input() was called"),
        ("exit()", "SystemExit", ""),
        ("quit(3)", "SystemExit", "3"),
        ("open('suite.yaml')", "FileNotFoundError", "suite.yaml"),
        ("open('/etc/passwd')", "FileNotFoundError", "/etc/passwd"),
        ("open('../suite.yaml')", "FileNotFoundError", "suite.yaml"),
        ("open('akari.txt', 'w')", "PermissionError", "cannot be written"),
        ("open('akari.txt', 'a')", "PermissionError", "cannot be written"),
        ("open('akari.txt', 'r+')", "PermissionError", "cannot be written"),
        ("open('akari.txt', 'z')", "ValueError", "invalid mode"),
        ("open(0)", "OSError", "Bad file descriptor"),
        ("open(None)", "TypeError", ""),
        ("open('latin.txt').read()", "UnicodeDecodeError", "utf-8"),
        ("__import__('os').listdir('/etc')", "FileNotFoundError", "/etc"),
        ("__import__('os').stat('/etc/passwd')", "FileNotFoundError", "/etc/passwd"),
        ("__import__('os').scandir('/')", "PermissionError", ""),
        ("__import__('os').remove('akari.txt')", "PermissionError", ""),
        ("__import__('os').mkdir('new')", "PermissionError", ""),
        ("__import__('os').open('/etc/passwd', 0)", "PermissionError", ""),
        ("__import__('os').fork()", "PermissionError", ""),
        ("__import__('os').kill(1, 9)", "PermissionError", ""),
        ("__import__('numpy')", "ModuleNotAllowed", "'numpy' is not allowed"),
        ("__import__('grader')", "ModuleNotFoundError", "No module named 'grader'"),
        ("__import__('ctypes').CDLL", "ModuleNotAllowed", "'ctypes' is not allowed"),
        ("__import__('subprocess').run", "ModuleNotAllowed", "not allowed"),
        ("undefined", "NameError", "undefined"),
    ],
)
def test_what_is_not_there_says_so(zygote: Zygote, code: str, type_name: str, message: str) -> None:
    """Files, modules and people that are not there give the exception that students know."""
    (observation,) = run(zygote, "", code).observations
    assert type_name == raised(observation)[0]
    assert message in raised(observation)[1]


@pytest.mark.parametrize(
    ("code", "value"),
    [
        ("open('akari.txt').read()", "1 1\n\u25cf\n"),
        ("open('./akari.txt', encoding='utf-8').read()", "1 1\n\u25cf\n"),
        ("open('akari.txt').readlines()", ["1 1\n", "\u25cf\n"]),
        ("open('data/deep.txt').read()", "deep"),
        ("open('data\\\\deep.txt').read()", "deep"),
        ("open(b'data/../akari.txt').readline()", "1 1\n"),
        ("open('latin.txt', encoding='latin-1').read()", "\u00e9"),
        ("open('latin.txt', errors='replace').read()", "\ufffd"),
        ("open('data/deep.txt', 'rb').read().decode()", "deep"),
        ("__import__('pathlib').Path('akari.txt').read_text()", "1 1\n\u25cf\n"),
        ("__import__('pathlib').Path('data', 'deep.txt').read_bytes().decode()", "deep"),
        ("[line for line in __import__('csv').reader(open('data/deep.txt'))]", [["deep"]]),
        ("__import__('io').open('data/deep.txt').read()", "deep"),
    ],
)
def test_files_of_the_suite_can_be_read(zygote: Zygote, code: str, value: object) -> None:
    """`open` and `pathlib` find the files of the exercise, which exist in memory only."""
    assert python(value) == gave(zygote, "", code)


def test_who_looks_before_reading_finds_the_same(zygote: Zygote) -> None:
    """`os.path` and `pathlib` agree with `open` on which files there are."""
    source = """
        import os.path
        from pathlib import Path
        def f(name):
            return os.path.exists(name), os.path.isfile(name), Path(name).is_file()
    """
    assert python((True, True, True)) == gave(zygote, source, "f('akari.txt')")
    assert python((False, False, False)) == gave(zygote, source, "f('suite.yaml')")


def test_reading_with_a_context_manager(zygote: Zygote) -> None:
    """The way that students learn: `with open(...) as file`."""
    source = (
        "def f():\n  with open('akari.txt') as file:\n    return [line.split() for line in file]\n"
    )
    assert python([["1", "1"], ["\u25cf"]]) == gave(zygote, source)


def test_own_modules_can_be_imported(zygote: Zygote) -> None:
    """A helper file is found, its own imports too, and it runs once."""
    modules = {
        "helper": "import other\nprint('helped')\nx = other.y + 1\n",
        "other": "y = 1\n",
    }
    seen = run(zygote, "import helper\nfrom helper import x\n", "x", modules=modules)
    assert "helped\n" == seen.imported.observation.stdout
    assert Returned(value=Atom(2), identity=None) == seen.observations[0].outcome


@pytest.mark.parametrize("name", ["random", "json", "io", "os", "time", "base64", "marshal", "re"])
def test_a_file_with_the_name_of_a_standard_module_hides_it(zygote: Zygote, name: str) -> None:
    """The submission gets its own module, and our side goes on with the real one."""
    source = f"import {name}\ndef f(): return {name}.mine\n"
    assert Atom(1) == gave(zygote, source, modules={name: "mine = 1\n"})


def test_a_broken_helper_is_told_where_it_is_imported(zygote: Zygote) -> None:
    """A syntax error in a helper is an exception of the import, and of that only."""
    source = "try:\n  import helper\nexcept SyntaxError as e:\n  x = e.filename\n"
    assert Atom("helper.py") == gave(zygote, source, "x", modules={"helper": "x = (\n"})


@pytest.mark.parametrize(
    "sabotage",
    [
        "import builtins; builtins.len = builtins.isinstance = builtins.type = None",
        "import json; json.loads = json.dumps = None; json.encoder = None",
        "import os; os.read = os.write = os._exit = None",
        "import sys; sys.stdout = sys.stderr = sys.stdin = None",
        "import sys; sys.modules.clear()",
        "import sys; sys.meta_path.clear(); sys.path = None",
        "import time; time.time = None; del time.monotonic",
        "global print, len, open; print = len = open = None",
        "import gc; gc.disable(); gc.set_threshold(1)",
        "import sys; sys.setrecursionlimit(1)",
    ],
)
def test_sabotage_of_the_interpreter_breaks_nothing_of_ours(zygote: Zygote, sabotage: str) -> None:
    """Who overwrites built-ins or modules breaks himself, if anybody."""
    nested: object = 1
    for _ in range(40):
        nested = [nested]
    source = "def f():\n  value = 1\n  for _ in range(40): value = [value]\n  return value\n"
    source += f"def g():\n  {sabotage}\n"
    seen = run(zygote, source, "g()", "f()", "1")
    values = [
        each.outcome.value for each in seen.observations if isinstance(each.outcome, Returned)
    ]
    assert [Atom(None), python(nested), Atom(1)] == values


def test_the_recursion_limit_has_a_ceiling_and_a_floor(zygote: Zygote) -> None:
    """A huge limit would crash the interpreter, a tiny one our own code."""
    source = """
        import sys
        def f(limit):
            sys.setrecursionlimit(limit)
            return sys.getrecursionlimit()
        def deep(n):
            return 0 if n == 0 else 1 + deep(n - 1)
    """
    codes = ("f(10**9)", "f(1)", "f(3000)", "deep(2500)", "deep(10**6)")
    seen = run(zygote, source, *codes, limits=Limits(recursion=5_000)).observations
    values = [each.outcome.value for each in seen if isinstance(each.outcome, Returned)]
    assert list(map(Atom, (5_000, 200, 3_000, 2_500))) == values
    assert raised(seen[4])[0] == "RecursionError"
    last = seen[4].outcome
    assert isinstance(last, Raised)
    assert last.depth > 2_500
    assert 64 == len(last.frames)


def test_chance_and_hashes_are_the_same_in_each_session(zygote: Zygote) -> None:
    """Random numbers, the order of sets of text and `hash` do not differ from run to run."""
    source = """
        import random
        drawn = random.random()
        def f():
            return drawn, random.randint(1, 10**9), hash("text"), list({"a", "b", "c", "d"})
    """
    one, other = gave(zygote, source), gave(zygote, source)
    assert one == other
    with Zygote() as another:
        assert one == gave(another, source)


@pytest.mark.parametrize(
    "body",
    [
        "return 'x' * 10**12",
        "x = 'a'\n  while True: x += x",
        "x = []\n  while True: x.append([0] * 1000)",
        "x = ()\n  while True: x = (x,)",
        "x = {}\n  while True: x[len(x)] = [x]",
    ],
)
def test_using_up_all_memory_is_an_exception(zygote: Zygote, body: str) -> None:
    """Large pieces or many small ones: what is reported is a MemoryError, in its step."""
    limits = Limits(cpu_s=10, memory_bytes=48 << 20)
    seen = run(zygote, f"def f():\n  {body}\n", "f()", "1", limits=limits)
    assert raised(seen.observations[0])[0] == "MemoryError"
    assert Returned(value=Atom(1), identity=None) == seen.observations[1].outcome


def test_exceptions_tell_where_they_came_from(zygote: Zygote) -> None:
    """Frames of the submission only, innermost last, with the lines of its own files."""
    source = "import helper\ndef f():\n  return helper.g()\n"
    modules = {"helper": "\n\ndef g():\n  return {}['key']\n"}
    (observation,) = run(zygote, source, "f()", modules=modules).observations
    outcome = observation.outcome
    assert isinstance(outcome, Raised)
    assert ("KeyError", "LookupError", "Exception", "BaseException") == outcome.type_names
    assert [("sample.py", 3, "f"), ("helper.py", 4, "g")] == [
        (frame.file, frame.line, frame.function) for frame in outcome.frames
    ]
    assert 2 == outcome.depth


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("class E(Exception):\n  def __str__(self): raise ValueError", "<its __str__ raised"),
        ("class E(Exception):\n  def __str__(self): return 5", "<its __str__ raised"),
        ("class E(Exception):\n  def __str__(self): return 'x' * 10**6", "x" * 2_000),
        ("class E(Exception):\n  __traceback__ = property(lambda s: 1 / 0)", ""),
        ("class E(Exception):\n  __class__ = int", ""),
        ("class E(BaseException): pass", ""),
        ("class E(KeyboardInterrupt): pass", ""),
        ("class E(GeneratorExit): pass", ""),
    ],
)
def test_odd_exceptions_are_reported(zygote: Zygote, source: str, message: str) -> None:
    """An exception that misbehaves while it is described is an exception like any other."""
    (observation,) = run(zygote, f"{source}\ndef f(): raise E\n", "f()").observations
    assert raised(observation)[0] == "E"
    assert raised(observation)[1].startswith(message)


def test_the_names_of_the_module_are_the_names_of_the_session(zygote: Zygote) -> None:
    """Steps see what the submission defines, and the judge is told those names."""
    seen = run(zygote, "x = 1\n_y = 2\ndef f(): return x\nimport math as m\n", "x + _y", "f()")
    assert frozenset({"x", "_y", "f", "m"}) == seen.imported.defined
    assert 2 == len(seen.observations)


def test_identity_tells_the_object_itself_from_a_copy(zygote: Zygote) -> None:
    """The same object has the same number all through a session, another one never."""
    source = "class P:\n  def me(self): return self\n  def copy(self): return P()\n"
    seen = run(
        zygote, f"{source}p = P()\n", "p", "p.me()", "p.copy()", "p.copy()", "p", "5", "None"
    )
    numbers = [
        each.outcome.identity for each in seen.observations if isinstance(each.outcome, Returned)
    ]
    assert numbers[0] == numbers[1] == numbers[4]
    assert 3 == len({numbers[0], numbers[2], numbers[3]})
    assert [None, None] == numbers[5:]


def test_nonces_have_the_size_that_cannot_be_guessed() -> None:
    """Eight random bytes: a blind guess never hits."""
    assert 8 == NONCE_BYTES


# Side by side, and alone


def test_a_doubtful_session_runs_alone() -> None:
    """Who asks to be alone waits for those under way, and keeps the others waiting."""
    gate, log = Gate(), []
    inside, leave, alone = Event(), Event(), Event()

    def shared(name: str) -> None:
        with gate.shared():
            log.append(name)
            inside.set()
            leave.wait()

    def by_itself() -> None:
        with gate.alone():
            log.append("alone")
            alone.set()

    with ThreadPoolExecutor(3) as threads:
        first = threads.submit(shared, "first")
        inside.wait()
        doubtful = threads.submit(by_itself)
        while not gate._alone:
            pass
        second = threads.submit(shared, "second")
        assert not alone.is_set()
        leave.set()
        for future in (first, doubtful, second):
            future.result()
    assert ["first", "alone", "second"] == log


def test_the_gate_opens_again_after_an_exception() -> None:
    """A session that fails does not keep the others out for good."""
    gate = Gate()
    for enter in (gate.shared, gate.alone, gate.shared):
        with pytest.raises(ZygoteError), enter():
            raise ZygoteError("the zygote ended")
    with gate.alone():
        assert True


def test_a_limit_on_the_wall_counts_only_when_it_is_reached_alone(zygote: Zygote) -> None:
    """A time-out that a busy machine may have caused is tried once more, alone."""

    class Watched(Gate):
        alones = 0

        def alone(self) -> Any:
            self.alones += 1
            return super().alone()

    gate = Watched()
    sources = {
        "sample": ("sample.py", "import time\ndef f(): time.sleep(600)\ndef g():\n  while 1: 0")
    }
    for code, expected in (("f()", 1), ("g()", 1)):
        limits = Limits(cpu_s=0.1, wall_s=1.5)
        runner = SessionRunner(zygote, Program.of("sample", sources, {}), limits, gate)
        item = Item(role=Role.STEP, step_index=0, code=code, is_expression=True, binds=())
        seen = runner.run((item,), lockstep=False)
        assert seen is not None
        assert Verdict.TIMED_OUT is died(seen.observations[0])[0]
        assert expected == gate.alones
