"""The judge's handle on one zygote process, and on the executors that it forks.

A zygote is a fresh interpreter with a fixed environment and the options `-P -S -B` (no current
directory on the path, no site packages, no byte code written). `-I` would be stricter still, but
ignores `PYTHONHASHSEED`, and the order of sets of strings must not differ from run to run.

The kernel kills a zygote when the *thread* that started it ends, so zygotes must be started from
the main thread. Each can be used by only one thread at a time.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

from grader.errors import HostError, ZygoteError
from grader.sandbox.byte_code import compile_executor
from grader.sandbox.executor import Executor, Sandbox
from grader.sandbox.forked import ForkedProcess, ProcessEnd, kill
from grader.sandbox.isolation import Isolation
from grader.suite import vocabulary

_START_WALL_S: Final = 30.0
_REPLY_WALL_S: Final = 30.0
_REQUIRED_ON_WINDOWS: Final = (
    "SYSTEMROOT",
)  # see `env` in the documentation of `subprocess.Popen`
_ONE_THREAD: Final = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"
)
"""For numpy's numeric libraries, because a process with several threads cannot be locked down."""
ENVIRONMENT: Final = {
    "PYTHONHASHSEED": "0",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "MPLBACKEND": "agg",  # matplotlib's backend that needs no display
    **_ONE_THREAD,
} | {name: os.environ[name] for name in _REQUIRED_ON_WINDOWS if name in os.environ}


def environment(seed: int) -> dict[str, str]:
    """Return the environment variables of executors, with the hash seed set to `seed`."""
    return ENVIRONMENT | {"PYTHONHASHSEED": str(seed)}


_PROGRAM: Final = (
    "import gc, sys; gc.disable(); sys.path.append(sys.argv[1]); "
    "from grader.executor.zygote import main; main(*sys.argv[2:4], int(sys.argv[4]))"
)
_MAX_READY_BYTES: Final = 4096
_MAX_ANSWER_BYTES: Final = 256
"""More than any answer has, because `recv` discards the rest of a longer message."""
_HELP: Final = "run `grader doctor` to see what isolation this machine allows"
_BUFFER_BYTES: Final = 1 << 20
"""Requested size of socket buffers, in which a small reply takes up far more than its length. The
kernel might grant less."""
_ADDR_NO_RANDOMIZE: Final = 0x0040000  # from <sys/personality.h>
_QUERY_PERSONA: Final = 0xFFFFFFFF  # personality(2): return the current persona and change nothing
PACKAGE_ROOT: Final = str(Path(__file__).resolve().parents[2])


def interpreter_command(
    program: str,
    *arguments: str,
    preload: Sequence[str] = vocabulary.PRELOADED,
    packages: Sequence[str] = (),
    hosts: Sequence[str] = (),
) -> list[str]:
    """Return the command that runs `program` in a fresh interpreter.

    The program gets these arguments: the folder that contains the package `grader`, JSON with the
    modules to preload and the `hosts`, JSON with the folders of the `packages`, and `arguments`.
    Also compile the executor's modules if needed. Raises `HostError` for a package that is not
    installed.
    """
    compile_executor(os.path.join(PACKAGE_ROOT, "grader"))
    modules = json.dumps(
        {"preload": preload, "packages": vocabulary.KNOWN_PACKAGES, "hosts": [*hosts]}
    )
    extras = json.dumps(
        {
            name: {"folder": package_folder(name), "parts": vocabulary.GIVABLE_PACKAGES[name]}
            for name in packages
        }
    )
    options = [_python(), "-P", "-S", "-B", "-c"]
    return [*options, program, PACKAGE_ROOT, modules, extras, *arguments]


def _python() -> str:
    """Return the path of the interpreter that runs programs itself, without a launcher.

    In a virtual environment on Windows, `python.exe` only launches the real one as another process.
    """
    base = getattr(sys, "_base_executable", None) if sys.platform == "win32" else None
    return base or sys.executable


def package_folder(name: str) -> str:
    """Return the folder that contains the installed package `name`.

    Raises `HostError` if it is not installed.
    """
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise HostError(
            f"the package {name} is not installed", help=f"pip install 'sessiongrader[{name}]'"
        )
    return str(Path(spec.origin).parents[1])


@dataclass(slots=True, kw_only=True)
class _Spare:
    """An executor that was ordered in advance; `pid` is None until the zygote's answer is read."""

    channel: socket.socket
    limits: bytes
    pid: int | None = None


@contextmanager
def _without_address_randomization() -> Iterator[None]:
    """Disable address space randomization for programs that this thread starts in the block.

    The order of a set of objects depends on their addresses, and points must not depend on that
    order. Do nothing if a container forbids the system call or the system is not Linux.
    """
    try:
        personality = ctypes.CDLL(None).personality
    except (OSError, AttributeError):
        yield
        return
    personality.argtypes = [ctypes.c_ulong]  # the query does not fit into a C int
    previous = personality(_QUERY_PERSONA)
    changed = previous >= 0 and personality(previous | _ADDR_NO_RANDOMIZE) >= 0
    try:
        yield
    finally:
        if changed:
            personality(previous)


class Zygote(Sandbox):
    """One zygote process, and a context manager that ends it."""

    def __init__(
        self,
        preload: Sequence[str] = vocabulary.PRELOADED,
        *,
        packages: Sequence[str] = (),
        seed: int = 0,
        hosts: Sequence[str] = (),
    ) -> None:
        """Start the zygote without waiting until it is ready; `isolation` waits for that.

        Its executors can import only the modules in `preload` and the `packages`. `hosts` are the
        names of the hosts that they can serve; see `grader.executor.hosts`. Sources of randomness
        are pinned to `seed`. Raises `HostError` for a package that is not installed.
        """
        command = interpreter_command(_PROGRAM, preload=preload, packages=packages, hosts=hosts)
        self._isolation: Isolation | None = None
        self._spare: _Spare | None = None
        # With SOCK_SEQPACKET each `recv` returns exactly one message.
        self._control, zygote_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The judge closes its copy after the start, or it would never see the zygote's end.
        with zygote_end, _without_address_randomization():
            self._process = subprocess.Popen(
                [*command, str(zygote_end.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                env=environment(seed),
                cwd="/",
                pass_fds=[zygote_end.fileno()],
                start_new_session=True,  # Ctrl-C at the terminal must reach the judge only
            )

    @property
    def isolation(self) -> Isolation:
        """The isolation of the executors, known once the zygote is locked down.

        Reading it waits until then, and raises `ZygoteError` if the zygote does not start.
        """
        if self._isolation is None:
            self._control.settimeout(_START_WALL_S)
            self._isolation = self._await_isolation()
            self._control.settimeout(_REPLY_WALL_S)
        return self._isolation

    def _await_isolation(self) -> Isolation:
        """Wait until the zygote is ready and return the isolation that it reports.

        Raises `ZygoteError`, after ending the zygote, if it does not start.
        """
        try:
            ready = self._control.recv(_MAX_READY_BYTES)
        except OSError:  # `_end_with_error` reports what the zygote wrote to standard error
            ready = b""
        if not ready:
            self._control.close()
            raise self._end_with_error("the zygote did not start")
        facts: dict[str, Any] = json.loads(ready)
        return Isolation(
            level=facts["level"],
            layers=tuple(facts["layers"].items()),
            python_version=facts["python"],
        )

    def fork(self, limits: Mapping[str, int]) -> Executor:
        """Return a fresh executor for one session; see `fork_process`."""
        return Executor(self.fork_process(limits))

    def fork_process(self, limits: Mapping[str, int]) -> ForkedProcess:
        """Return the process of a fresh executor, which the caller communicates with and ends.

        The next executor with the same limits is ordered at once, so that it is ready when needed.
        Raises `ZygoteError` if the zygote cannot start one.
        """
        assert self.isolation is not None, "only a locked-down zygote may fork"
        limits_json = json.dumps(limits).encode()
        # A spare has already set its kernel limits, so one with other limits is of no use.
        if self._spare is None or self._spare.limits != limits_json:
            self._dismiss_spare()
            self._spare = self._order_spare(limits_json)
        spare, self._spare = self._spare, None
        try:
            pid = self._spare_pid(spare)
            self._spare = self._order_spare(limits_json)
        except BaseException:
            spare.channel.close()
            raise
        if self._control.fileno() < 0:  # another thread has called `close` meanwhile
            self._spare.channel.close()
        return ForkedProcess(
            pid=pid,
            channel=spare.channel,
            session_cpu_s=limits["session_cpu_s"],
            reap=self._reap,
            dismiss=self._reap_later,
        )

    def _order_spare(self, limits: bytes) -> _Spare:
        """Order an executor from the zygote without waiting for its pid.

        Raises `ZygoteError` if the order cannot be sent.
        """
        judge_end, executor_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        for end in (judge_end, executor_end):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER_BYTES)
        with executor_end:
            try:
                socket.send_fds(self._control, [b"F" + limits], [executor_end.fileno()])
            except OSError as error:
                judge_end.close()
                raise ZygoteError(
                    f"the zygote does not accept orders: {error}", help=_HELP
                ) from error
        return _Spare(channel=judge_end, limits=limits)

    def _spare_pid(self, spare: _Spare) -> int:
        """Return the pid of `spare`, after reading and storing it if it is not known yet.

        Raises `ZygoteError` if the zygote does not answer.
        """
        if spare.pid is None:
            spare.pid = int(self._read_answer())
        return spare.pid

    def _reap(self, pid: int) -> ProcessEnd:
        """Make the zygote reap process `pid` and return how that process ended.

        Raises `ZygoteError` if the zygote does not answer.
        """
        if self._spare is not None:
            self._spare_pid(self._spare)  # the zygote answers in order, so this answer comes first
        self._send(b"R%d" % pid)
        facts = json.loads(self._read_answer())
        return ProcessEnd(os.waitstatus_to_exitcode(facts["status"]), facts["cpu_s"])

    def _reap_later(self, pid: int) -> None:
        """Make the zygote reap process `pid`, which has been killed, without waiting for that."""
        self._send(b"D%d" % pid)

    def _send(self, order: bytes) -> None:
        """Send `order` to the zygote; end it and raise `ZygoteError` if it cannot be sent."""
        try:
            self._control.send(order)
        except OSError as error:
            raise self._end_with_error(f"the zygote does not accept orders: {error}") from error

    def _dismiss_spare(self) -> None:
        """Kill the spare executor, if there is one, and close its channel."""
        if self._spare is not None:
            # Read even though the spare is not needed, or a later order would get this answer.
            pid = self._spare_pid(self._spare)
            kill(pid)
            self._reap_later(pid)
            self._spare.channel.close()
            self._spare = None

    def _read_answer(self) -> bytes:
        """Return the next answer of the zygote; end it and raise `ZygoteError` if none comes."""
        try:
            answer = self._control.recv(_MAX_ANSWER_BYTES)
        except OSError as error:
            raise self._end_with_error(f"the zygote stopped answering: {error}") from error
        if not answer:
            raise self._end_with_error("the zygote ended unexpectedly")
        return answer

    def _end_with_error(self, problem: str) -> ZygoteError:
        """Kill the zygote and return an error that reports `problem`.

        The error also quotes the last line that the zygote wrote to standard error.
        """
        self._process.kill()
        _, stderr = self._process.communicate()
        last_line = stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return ZygoteError(
            ": ".join([problem, *last_line]),
            help=_HELP,
        )

    def close(self) -> None:
        """Shut down the zygote, along with any remaining children."""
        # Closed first: a thread in `fork_process` notices this and closes its new spare.
        self._control.close()
        if self._spare is not None:
            self._spare.channel.close()
        try:
            # The zygote ends when it sees that the judge has closed the control socket.
            self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:
            os.kill(self._process.pid, signal.SIGKILL)
            self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()

    def __enter__(self) -> Self:
        """Return the zygote itself once it is locked down.

        Raises `ZygoteError` if it does not start.
        """
        try:
            assert self.isolation is not None, "`isolation` raises if it has none"
        except BaseException:
            self.close()
            raise
        return self
