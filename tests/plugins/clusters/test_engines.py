"""Grading by an engine: whoever runs the chunks, and whatever becomes of it, marks are the same."""

from __future__ import annotations

import ast
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from command_line import grader, process
from documentation import BLOCKS, Block
from graded_classes import TOO_MUCH, Collector, engine_in_this_thread
from handed_in import entries

from grader.errors import HostError, UsageError
from grader.intake.submissions import HandIn
from grader.judging.rules import KINDS
from grader.plugins.clusters import dask as clusters
from grader.run import engines, grading
from grader.run.chunks import Terms, grade_chunk
from grader.run.engines import Engine, make_engine
from grader.run.grading import grade_all
from grader.run.outcomes import Outcome
from grader.run.tasks import Task
from grader.store.keys import RecordKey, environment
from grader.store.runs import RunSettings
from grader.suite.files import load_suite
from grader.verdict import Status, Verdict

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells of processes")

TERMS: Final = Terms(settings=RunSettings(least_isolation=1))
COUNT: Final = 24
WORKERS: Final = 4
DEADLY: Final = "# 17 takes its worker down"
SECRETS: Final = {"DASK_TOKEN": "s3cret", "SLURM_JWT": "s3cret", "KUBERNETES_PORT": "s3cret"}


@contextmanager
def running(command: str, *arguments: str, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a command of Dask's in the meantime."""
    started = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.dask_{command}", "--no-dashboard", *arguments],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield started
    finally:
        started.terminate()
        started.wait()


def free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def scheduler(**variables: str) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run a scheduler, and say where."""
    pytest.importorskip("distributed")
    port = free_port()
    with running("scheduler", "--host=127.0.0.1", f"--port={port}", **variables) as process:
        while True:
            with suppress(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
            assert process.poll() is None
            time.sleep(0.1)
        yield f"tcp://127.0.0.1:{port}", process


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the scheduler of a cluster of real processes is to be found."""
    folder = tmp_path_factory.mktemp("cluster")
    settings = {"DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1"}
    workers = (f"--nworkers={WORKERS}", "--nthreads=1", f"--local-directory={folder}")
    with scheduler(**settings) as (at, _), running("worker", at, *workers, **SECRETS):
        engine = dask(at)
        client_of(engine).wait_for_workers(WORKERS, timeout=120)
        engine.stop()
        yield at


@pytest.fixture
def tasks(here: Path) -> Sequence[Task]:
    """A class, of which the last ones are wrong; the folder is `class`."""
    (here / "class").mkdir()
    for number in range(COUNT):
        answer = "2 * x" if number < COUNT - 4 else number
        mark = DEADLY if number == 17 else f"# {number}"
        text = f"def double(x):\n    return {answer}  {mark}\n"
        (here / "class" / f"s{number:02}.py").write_text(text)
    suite = load_suite(here / "testsuites" / "double.yaml", KINDS)
    return [Task(suite, entry) for entry in entries(here / "class")]


def graded(tasks: Sequence[Task], engine: Engine, collector: Collector | None = None) -> Any:
    """Return what comes of `tasks`, record and page."""
    collector = collector or Collector()
    with engine:
        assert grade_all(tasks, collector, TERMS, engine)
    return [told(outcome) for _, outcome in sorted(collector.outcomes.items())]


def told(outcome: Outcome) -> tuple[bytes, str | None]:
    """Return what must be the same whoever grades, and however busy the machine is."""
    return outcome.graded.data, outcome.page


def dask(address: str) -> Engine:
    """Return the engine of the cluster there."""
    return make_engine(f"dask={address}", 1)


def client_of(engine: Engine) -> Any:
    """Return Dask's own handle on the cluster of `engine`."""
    executor = engine.start()
    assert isinstance(executor, clusters.DaskExecutor)
    return executor._client


def files(folder: Path) -> dict[str, bytes]:
    """Return all that a run has left but its store, in which times stand."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.name != "run.db"
    }


# A cluster


@pytest.mark.commands
@pytest.mark.usefixtures("tasks")
def test_a_cluster_gives_the_same_bytes(here: Path, address: str) -> None:
    """Pages, index and results do not tell where a class was graded."""
    asked = ("grade", "class", "--exercise", "double")
    assert 0 == process(*asked, "--out", "near").code
    assert 0 == process(*asked, "--out", "far", "--engine", f"dask={address}").code
    near = files(here / "near")
    assert COUNT + 2 <= len(near)
    assert near == files(here / "far")


@pytest.mark.commands
def test_workers_that_are_killed_cost_nothing(tasks: Sequence[Task], address: str) -> None:
    """Two of four end in the middle of their work; the rest do it again, with the same result."""
    engine, draw = dask(address), random.Random()
    pids = [*client_of(engine).run(os.getpid).values()]
    moments = dict(zip(draw.sample(range(COUNT // 2), 2), draw.sample(pids, 2), strict=True))

    class Killing(Collector):
        def store(self, outcome: Outcome, hand_in: HandIn, key: RecordKey) -> None:
            if pid := moments.get(len(self.outcomes)):
                os.kill(pid, signal.SIGKILL)
            super().store(outcome, hand_in, key)

    found = graded(tasks, engine, Killing())
    with engine_in_this_thread() as near:
        assert graded(tasks, near) == found


class Through(Executor):
    """Lets another executor do the work, by another function."""

    def __init__(self, other: Executor, function: Callable[[bytes], bytes]) -> None:
        self._other: Final = other
        self._function: Final = function

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have the function of ours called."""
        return self._other.submit(self._function, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:  # noqa: FBT002
        """End the other one."""
        self._other.shutdown(wait, cancel_futures=cancel_futures)


def graded_unless_deadly(chunk: bytes) -> bytes:
    """Grade, unless that takes the whole process down; to tell of it does not."""
    if DEADLY.encode() in chunk and b"it brought its worker down" not in chunk:
        os._exit(1)
    return grade_chunk(chunk)


@pytest.mark.commands
def test_who_takes_workers_down_costs_nobody_else(tasks: Sequence[Task], address: str) -> None:
    """Dask gives such a chunk up: it is done again one by one, and one submission is a fault."""
    far, collector = dask(address), Collector(tasks)
    client_of(far).run_on_scheduler(give_up_after, failures=0)  # sooner, for workers start slowly
    # With one worker a chunk has several submissions.
    start = partial(Through, far.start(), graded_unless_deadly)
    graded(tasks, Engine(start=start, workers=1, chunk_size=3), collector)
    client_of(far := dask(address)).run_on_scheduler(give_up_after, failures=1)
    far.stop()
    statuses = [record.status for _, record in sorted(collector.records.items())]
    assert [17] == [index for index, each in enumerate(statuses) if each is Status.FAULT]
    evidence = str(collector.records[17].cases[0].staff_evidence)
    assert "it brought its worker down: KilledWorker" in evidence


def give_up_after(failures: int, dask_scheduler: Any) -> None:
    """Have the scheduler try what was lost only so often again."""
    dask_scheduler.allowed_failures = failures


@pytest.mark.commands
def test_a_worker_without_the_walls_refuses(tasks: Sequence[Task], address: str) -> None:
    """What a machine of a cluster lacks is told as it is here, and nothing is graded behind it."""
    collector = Collector()
    with pytest.raises(HostError, match="but level 4 is required"), dask(address) as engine:
        grade_all(tasks, collector, TOO_MUCH, engine)
    assert {} == collector.outcomes


@pytest.mark.commands
def test_a_worker_with_other_code_refuses(
    tasks: Sequence[Task], address: str, root: Path, tmp_path: Path
) -> None:
    """One machine that was forgotten when the grader was installed anew ends the run."""
    shutil.copytree(root / "grader", tmp_path / "other" / "grader")
    with (tmp_path / "other" / "grader" / "errors.py").open("a") as file:
        file.write("# one line more\n")
    options = ("--nthreads=1", "--no-nanny", f"--local-directory={tmp_path}")
    with running("worker", address, *options, PYTHONPATH=str(tmp_path / "other")):
        engine = dask(address)
        client_of(engine).wait_for_workers(WORKERS + 1, timeout=60)
        with (
            pytest.raises(HostError, match="a worker runs a different version"),
            dask(address) as far,
        ):
            grade_all(tasks, Collector(), TERMS, far)
        engine.stop()


CURIOUS: Final = """\
def double(x):
    found = []
    for look in (environment, file, memory, port):
        try:
            found.append(look())
        except BaseException:
            pass
    return found or 4

def environment():
    import os
    return [os.environ[name] for name in {names}]

def file():
    return open({token!r}).read()

def memory():
    import os
    return [open(f"/proc/{{pid}}/environ").read() for pid in ("self", os.getppid())]

def port():
    import socket
    return socket.create_connection(("127.0.0.1", {port}), 5).getpeername()
"""


@pytest.mark.commands
def test_secrets_of_a_cluster_stay_with_it(tasks: Sequence[Task], here: Path, address: str) -> None:
    """Its variables, its tokens in files and its ports are there for a worker, for nobody in it."""
    (here / "token").write_text("s3cret")
    source = CURIOUS.format(
        names=list(SECRETS), token=str(here / "token"), port=address.rpartition(":")[2]
    )
    (here / "class" / "s00.py").write_text(source)
    engine, collector = dask(address), Collector(tasks)
    seen = engine.start().submit(exec_and_double, source).result()
    assert 4 == len(seen)
    graded(tasks[:1], engine, collector)
    assert [Verdict.PASSED] == [case.verdict for case in collector.records[0].cases]


def exec_and_double(source: str) -> Any:
    """Run a submission where no submission may run."""
    names: dict[str, Any] = {}
    exec(source, names)
    return names["double"](2)


@pytest.mark.commands
def test_zygotes_die_with_their_worker(tasks: Sequence[Task], address: str) -> None:
    """What a worker of a cluster has started does not stay on the machine."""
    engine = dask(address)
    client = client_of(engine)
    with engine:
        assert grade_all(tasks, Collector(), TERMS, engine)
        pids = [*client.run(os.getpid).values()]
        zygotes = [child for pid in pids for child in children(pid)]
        assert zygotes
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        gone(zygotes)


def children(pid: int) -> list[int]:
    """Return the processes that `pid` has started, with any of its threads."""
    found: list[int] = []
    for path in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, path.read_text().split())
    return found


def gone(pids: Sequence[int]) -> None:
    """Wait until none of these processes is left."""
    while any(Path(f"/proc/{pid}/exe").exists() and alive(pid) for pid in pids):
        time.sleep(0.05)


def alive(pid: int) -> bool:
    """Return whether it runs still; whoever is dead may wait for its parent."""
    with suppress(OSError):
        return "Z" != Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return False


@pytest.mark.commands
def test_a_lost_scheduler_ends_the_run(tasks: Sequence[Task]) -> None:
    """Nobody is called a fault for it, and nobody waits for what cannot come."""
    with scheduler() as (at, process):
        far, sent = dask(at), []

        class Losing(Executor):
            def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
                sent.append(executor.submit(fn, *args, **kwargs))
                process.kill()
                return sent[-1]

        executor, engine = far.start(), Engine(start=Losing, workers=far.workers, chunk_size=1)
        assert (0, 1) == (engine.workers, engine.parallel_chunks)
        with pytest.raises(HostError, match=r"scheduler at .* was lost"), engine:
            grade_all(tasks, Collector(), TERMS, engine)
        far.stop()
    assert sent


def test_where_no_scheduler_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A wrong address is told with the way to the right one."""
    pytest.importorskip("distributed")
    import dask  # noqa: PLC0415

    with (
        dask.config.set({"distributed.comm.timeouts.connect": "200ms"}),
        pytest.raises(
            UsageError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1: "
        ) as told,
    ):
        make_engine("dask=tcp://127.0.0.1:1", 1)
    assert "dask scheduler" in str(told.value.help)
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match="Dask, which is not installed"):
        make_engine("dask=tcp://127.0.0.1:1", 1)


# Executors of one's own


FACTORY: Final = """\
from concurrent.futures import ThreadPoolExecutor

def threads():
    return ThreadPoolExecutor(2)

def broken():
    raise OSError("no room on the cluster")

def nothing():
    return "nothing"
"""


def test_threads_have_sandboxes_that_end_with_them(tasks: Sequence[Task], here: Path) -> None:
    """Any executor grades with the same result; the current folder is for finding it only."""
    (here / "factory_of_threads.py").write_text(FACTORY)
    before, path = {*children(os.getpid())}, [*sys.path]
    engine = make_engine("factory_of_threads:threads", 2)
    assert path == sys.path
    seen: list[set[int]] = []

    class Looking(Collector):
        def store(self, outcome: Outcome, hand_in: HandIn, key: RecordKey) -> None:
            seen.append({*children(os.getpid())} - before)
            super().store(outcome, hand_in, key)

    found = graded(tasks, engine, Looking())
    assert 2 <= len(set.union(*seen))
    assert {*children(os.getpid())} <= before
    with engine_in_this_thread() as near:
        assert graded(tasks, near) == found


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("locale", "unknown engine: locale"),
        ("factory_of_none:broken", "cannot be started: OSError: no room on the cluster"),
        (
            "factory_of_none:nothing",
            "it returned something other than a concurrent.futures.Executor: 'nothing'",
        ),
        ("factory_of_none:absent", "cannot be started: AttributeError: module 'factory_of_none'"),
        (
            "factory_of_another:f",
            "cannot be started: ModuleNotFoundError: No module named 'factory_of",
        ),
        ("damaged_factory:f", "cannot be started: ZeroDivisionError"),
        ("dask=nowhere", "no Dask scheduler answers at nowhere"),
    ],
)
@pytest.mark.usefixtures("tasks")
def test_an_engine_that_is_not_there_is_told(
    capfd: pytest.CaptureFixture[str], here: Path, name: str, why: str
) -> None:
    """With its reason, and before anything is written."""
    if name.startswith("dask="):
        pytest.importorskip("distributed")
    (here / "factory_of_none.py").write_text(FACTORY)
    (here / "damaged_factory.py").write_text("1 / 0")
    done = grader(capfd, "grade", "class", "--exercise", "double", "--engine", name)
    assert 2 == done.code
    assert why in done.err
    assert not (here / "reports").exists()


def test_workers_that_come_later_get_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster grows and shrinks: how much is under way follows; nobody is as good as one."""
    counts = iter([4, 0])

    def count() -> int:
        found = next(counts, None)
        if found is None:
            raise OSError("the scheduler is away")
        return found

    monkeypatch.setattr(engines, "_COUNT_INTERVAL_S", 0.0)
    engine = Engine(start=Executor, workers=1, chunk_size=1, count=count)
    assert [8, 2, 2] == [engine.max_in_progress for _ in range(3)]


@pytest.mark.parametrize("name", ["python", "machine", "numpy"])
def test_a_worker_with_another_environment_refuses(
    tasks: Sequence[Task], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Its records would be kept as those of ours, and might differ."""
    needs = environment(["numpy"])
    (needs["packages"] if name in needs["packages"] else needs)[name] = "other"
    monkeypatch.setattr(grading, "environment", lambda _: needs)
    with (
        pytest.raises(HostError, match=rf"a worker has a different {name}: .* instead of other"),
        engine_in_this_thread() as engine,
    ):
        grade_all(tasks, Collector(), TERMS, engine)


def test_a_refusal_names_another_machine(
    tasks: Sequence[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two hundred, one would have to be looked for."""
    with engine_in_this_thread() as engine:
        monkeypatch.setattr(grading, "grade_chunk", elsewhere)
        with pytest.raises(HostError, match=r"^on node17: this machine offers isolation level"):
            grade_all(tasks, Collector(), TOO_MUCH, engine)


def elsewhere(chunk: bytes) -> bytes:
    """Grade, and tell that it was on another machine."""
    reply = json.loads(grade_chunk(chunk))
    reply["refused"][2] = "node17"
    return json.dumps(reply).encode("ascii")


def test_a_worker_that_has_served_another_run_asks_for_walls_anew(tasks: Sequence[Task]) -> None:
    """Workers of a cluster outlive a run; what one run makes do with is not enough for the next."""
    with engine_in_this_thread() as engine:
        assert grade_all(tasks[:1], Collector(), TERMS, engine)
        with pytest.raises(HostError, match="level 4 is required"):
            grade_all(tasks[:1], Collector(), TOO_MUCH, engine)
        assert grade_all(tasks[:1], Collector(), TERMS, engine)


# What the documentation shows


EXAMPLES: Final = [block for block in BLOCKS if block.page.name == "cluster.md"]


@pytest.mark.parametrize("block", EXAMPLES, ids=str)
def test_files_for_clusters_can_be_read(block: Block) -> None:
    """What cannot be run here is Python, YAML or shell all the same."""
    match block.language:
        case "python":
            compile(block.text, block.file, "exec")
            name = str(ast.get_docstring(ast.parse(block.text))).rpartition(":")[2]
            assert f"def {name}() -> Executor:" in block.text
        case "yaml":
            kinds = [document["kind"] for document in yaml.safe_load_all(block.text)]
            assert ["Service", "Pod", "Deployment", "NetworkPolicy"] == kinds
        case _:
            assert "sh" == block.language
            subprocess.run(["sh", "-n"], input=block.text, text=True, check=True)
