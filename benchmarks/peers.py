"""What one submission costs with other tools: the same solution, the same published session.

Run: python benchmarks/peers.py [rounds]

Each tool is started afresh, in turns, and what is not installed is left out. Before it is measured,
it has to accept the right solution and to refuse a wrong one.
"""

from __future__ import annotations

import ast
import doctest
import importlib.util
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REFERENCE = ROOT / "reference/yinyang"
ROUNDS = 7
MODULE = "yinyang"
CHECKED = f"{MODULE}.py"
GRADER = (sys.executable, "-c", "from grader.cli.verbs import main; main()")
SUITES = ("--exercise", MODULE, "--suites", str(ROOT / "testsuites"))
GRADE = (*GRADER, "grade", "class", *SUITES, "--public")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Peer:
    """A way to check one solution, which lies in a folder of its own."""

    name: str
    command: Sequence[str]
    isolation: str
    files: Mapping[str, str]
    """What it needs beside the solution."""
    prepare: Sequence[str] = ()
    """What has to be run once before."""
    says: str = ""
    """What it prints when the solution is right; where it says nothing, its exit code does."""
    needs: str = "grader"
    """The module that has to be there."""
    install: str = ""

    @property
    def is_there(self) -> bool:
        """Whether it can be run."""
        return importlib.util.find_spec(self.needs) is not None

    def run(self, folder: Path) -> tuple[bool, float, float]:
        """Check the solution in `folder`; return whether it is right, CPU and clock seconds."""
        cpu_s, wall_s = _children_s(), time.perf_counter()
        done = subprocess.run(
            self.command, cwd=folder, capture_output=True, text=True, check=False, timeout=300
        )
        wall_s = time.perf_counter() - wall_s
        said = done.stdout + done.stderr
        right = self.says in said if self.says else not done.returncode
        return right, _children_s() - cpu_s, wall_s


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def session() -> str:
    """Return the published session, beginning with the import that doctest needs."""
    spec = (REFERENCE / "spec.md").read_text(encoding="utf-8")
    lines = spec[spec.index(">>> ") :].splitlines(keepends=True)
    last = max(number for number, line in enumerate(lines) if line.startswith(">>> "))
    answered = lines[: last + 2]  # in one line; prose follows
    return f">>> from {MODULE} import *\n{''.join(answered)}"


def as_program(text: str) -> tuple[str, str]:
    """Return a program that does what session `text` does, and what it has to print."""
    lines, wanted = [], []
    for example in doctest.DocTestParser().get_examples(text):
        (statement,) = ast.parse(example.source).body
        lines.append(_statement(statement))
        wanted.append(example.exc_msg or example.want)
    return "".join(lines), "".join(wanted)


def _statement(statement: ast.stmt) -> str:
    """Return `statement` with what it gives printed, as an interpreter does."""
    if not isinstance(statement, ast.Expr):
        return f"{ast.unparse(statement)}\n"
    return f"""\
try:
    given = {ast.unparse(statement)}
    if given is not None: print(repr(given))
except AssertionError as error:
    print(f"AssertionError: {{error}}")
"""


def peers() -> list[Peer]:
    """Return all that are measured, doctest first."""
    text = session()
    program, wanted = as_program(text)
    in_docstring = {"session.py": f"from {MODULE} import *\n__doc__ = {text!r}\n"}
    with_points = f"""
from {MODULE} import *
from pytest_grader import points
@points(1)
def session(): pass
session.__doc__ = {text!r}
"""
    python = (sys.executable, "-m")
    pytest = (*python, "pytest", "-p", "no:timeout", "--doctest-modules")
    return [
        Peer(
            name="doctest",
            command=(*python, "doctest", "session.py"),
            isolation="none",
            files=in_docstring,
            needs="doctest",
        ),
        Peer(
            name="pytest --doctest-modules",
            command=(*pytest, "session.py"),
            isolation="none",
            files=in_docstring,
            needs="pytest",
            install="pytest",
        ),
        Peer(
            name="pytest-grader",
            command=(*pytest, "--score", "session.py"),
            isolation="none",
            files={"session.py": with_points, "conftest.py": "pytest_plugins = ['pytest_grader']"},
            says="Total Score: 1/1",
            needs="pytest_grader",
            install="pytest-grader",
        ),
        Peer(
            name="pedal",
            command=(*python, "pedal", "feedback", "--skip_tifa", "instructor.py", CHECKED),
            isolation="none: exec in its own process",
            files={
                "instructor.py": "from pedal import *\n"
                f"run()\nclear_output()\nrun({program!r})\n"
                f"if get_raw_output() == {wanted!r}: set_success()\n"
                "else: explain('wrong')\n"
            },
            says="Complete",
            needs="pedal",
            install="pedal",
        ),
        Peer(
            name="check50",
            command=(*python, "check50", "--dev", "--output", "json", "--", "checks"),
            isolation="a process per check",
            files={
                "checks/session.py": program,
                "checks/.cs50.yml": "check50: true\n",
                "checks/__init__.py": "import check50\n@check50.check()\ndef session():\n"
                f'    """session"""\n    check50.include("session.py")\n'
                f"    check50.run({f'{sys.executable} session.py'!r})"
                f".stdout({wanted!r}, regex=False).exit(0)\n",
            },
            says='"passed": true',
            needs="check50",
            install="check50",
        ),
        Peer(
            name="otter run",
            command=(*python, "otter", "run", "--autograder", "autograder.zip", CHECKED),
            isolation="a process per submission",
            files={"tests/session.py": _ok_test(text)},
            prepare=(*python, "otter", "generate", "-t", "tests"),
            says="1.000 / 1.000",
            needs="otter",
            install="otter-grader ipykernel",
        ),
        Peer(
            name="grader check",
            command=(*GRADER, "check", CHECKED, *SUITES),
            isolation=_OURS,
            files={},
        ),
        Peer(
            name="grader grade --no-reports",
            command=(*GRADE, "--no-reports", "--json"),
            isolation=_OURS,
            files={},
            says='"score": 23.0',
        ),
        Peer(
            name="grader grade",
            command=(*GRADE, "--json"),
            isolation=_OURS,
            files={},
            says='"score": 23.0',
        ),
    ]


_OURS = "seccomp, Landlock, limits; namespaces where allowed"


def _ok_test(text: str) -> str:
    test = {
        "name": "session",
        "points": 1,
        "suites": [{"cases": [{"code": text}], "type": "doctest", "scored": True}],
    }
    return f"OK_FORMAT = True\ntest = {test!r}\n"


def prepared(peer: Peer, folder: Path, solution: str) -> Path:
    """Return a folder below `folder` with all that `peer` needs to check `solution`."""
    folder.mkdir(parents=True)
    for name, text in {**peer.files, CHECKED: solution, f"class/{CHECKED}": solution}.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    if peer.prepare:
        subprocess.run(peer.prepare, cwd=folder, capture_output=True, check=True)
    return folder


def proven(candidates: Sequence[Peer], folder: Path) -> dict[Peer, Path]:
    """Return those of `candidates` that tell right from wrong, each with its folder.

    The others are told. Their first runs also leave behind what the later ones find.
    """
    right = (REFERENCE / CHECKED).read_text(encoding="utf-8")
    wrong = right.replace('"ongeldige actie"', '"mag niet"')
    folders = {}
    for number, peer in enumerate(candidates):
        if not peer.is_there:
            print(f"{peer.name}: not installed (pip install {peer.install})")
            continue
        there = prepared(peer, folder / str(number), right)
        if not peer.run(there)[0]:
            print(f"{peer.name}: refuses the right solution, so it is not measured")
        elif peer.run(prepared(peer, folder / f"{number}-wrong", wrong))[0]:
            print(f"{peer.name}: accepts a wrong solution, so it is not measured")
        else:
            folders[peer] = there
    return folders


def measured(folders: Mapping[Peer, Path], rounds: int) -> dict[Peer, tuple[float, float]]:
    """Return the medians of CPU and clock seconds of `rounds` runs of each, in turns."""
    used: dict[Peer, list[tuple[float, float]]] = {peer: [] for peer in folders}
    for _ in range(rounds):
        for peer, folder in folders.items():
            _, *seconds = peer.run(folder)
            used[peer].append((seconds[0], seconds[1]))
    return {
        peer: (statistics.median(cpu for cpu, _ in each), statistics.median(s for _, s in each))
        for peer, each in used.items()
    }


def main() -> None:
    """Measure and print all that are installed."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory() as name:
        medians = measured(proven(peers(), Path(name)), rounds)
    base_s = next(iter(medians.values()))[0]
    print(f"{'':<26} {'CPU ms':>7} {'clock ms':>9} {'x doctest':>9}  isolation")
    for peer, (cpu_s, wall_s) in medians.items():
        times = f"{1000 * cpu_s:7.0f} {1000 * wall_s:9.0f} {cpu_s / base_s:9.1f}"
        print(f"{peer.name:<26} {times}  {peer.isolation}")


if __name__ == "__main__":
    main()
