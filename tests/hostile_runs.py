"""A batch per kind of host: the corpus and its honest neighbours, graded by the command line.

Batches take a while, so all processes of a test run share them: the first one that needs one makes
all, side by side, and the others wait. What they need lies where every user may reach it, for as
long as they run.
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import installations
import pytest
import yaml
from hostile_stage import Done, Plan
from hostile_witnesses import PUBLIC_PLACES
from selection import HOSTS, MAIN_HOST, SELECTION, Selection

from grader.executor.lockdown import NOBODY
from grader.store.graded import decompress
from grader.store.store import STORE_NAME, Store

ROOT: Final = Path(__file__).resolve().parents[1]
CORPUS: Final = ROOT / "tests" / "hostile"
STAGE_PROGRAM: Final = ROOT / "tests" / "hostile_stage.py"
JOBS: Final = "2"
SEED: Final = 2026
ENDLESS: Final = "willems_arne"
"""A hand-in that loops until its time is up, again and again: it would hold up every batch."""
TATTLERS: Final = [
    "ERROR-raises-its-argument",
    "WRONG-prints-its-argument",
    "WRONG-returns-its-argument",
]
"""Attacks that say what they were handed; they are in every batch."""
HAND_INS_ONE_IN: Final = 4
"""One sample hand-in in so many is graded among the attacks, in a quick run or another host."""
DOCTOR, CALM, MIXED = range(3)
"""The commands of a batch: the level, the honest ones alone, and all of them together."""

HONEST_HAND_IN: Final = """\
import json, random, re

CALLS = []


def answer(n):
    {body}


def double(n):
    return 2 * n
"""
HONEST_BODIES: Final = {
    "adds": "return n + 1",
    "counts": "CALLS.append(n); return len(CALLS)",
    "draws": "return random.Random(n).random()",
    "forgets": "return n +",
    "nests": "return {'token': [n, (n,), {n, 'set', None}, 1 / n]}",
    "prints": "print('the answer to', n)",
    "raises": "raise ValueError(f'no answer to {n}')",
    "recurses": "return answer(n + 1)",
    "writes": "return json.dumps({'n': re.sub('0', 'o', str(n))})",
}


@dataclass(frozen=True, slots=True)
class Attack:
    """One folder of the corpus, and what it says of itself."""

    folder: Path

    @property
    def name(self) -> str:
        """The name of the folder, and so of the student."""
        return self.folder.name

    @property
    def verdicts(self) -> frozenset[str]:
        """The verdicts of which `answer(1)` has one; `UNGRADABLE` for the submission."""
        return frozenset(self.name.partition("-")[0].split("+"))

    @property
    def said(self) -> tuple[str, ...]:
        """The texts that must stand in the report."""
        path = self.folder / "said.txt"
        return tuple(path.read_text(encoding="utf-8").splitlines()) if path.exists() else ()

    @property
    def source(self) -> bytes:
        """Its main file as it is; nothing where there is none to read."""
        path = self.folder / "attack.py"
        return path.read_bytes() if path.is_file() else b""

    @property
    def defines_double(self) -> bool:
        """Whether it has an honest function beside its attack."""
        return re.search(rb"^def double\(", self.source, re.MULTILINE) is not None

    def lay_out(self, folder: Path) -> None:
        """Make it a hand-in in `folder`, with the empty files that `attack.yaml` asks for."""
        shutil.copytree(self.folder, folder, symlinks=True)
        asked = self.folder / "attack.yaml"
        count = yaml.safe_load(asked.read_text())["files"] if asked.exists() else 0
        for number in range(count):
            (folder / f"file{number:03}.txt").touch()


def corpus() -> tuple[Attack, ...]:
    """Return all attacks."""
    return tuple(Attack(folder) for folder in sorted(CORPUS.iterdir()) if folder.is_dir())


def attacks_in(host: str, selection: Selection) -> tuple[Attack, ...]:
    """Return the attacks that a run tries in a host."""
    return tuple(
        attack
        for attack in corpus()
        if attack.name in TATTLERS or selection.tries(attack.name, host)
    )


def attacks_under_own_tests(selection: Selection) -> tuple[Attack, ...]:
    """Return the attacks that a run tries under an instructor's own tests: each starts pytest."""
    return tuple(attack for attack in corpus() if selection.tries_own_tests(attack.name))


def hand_ins(host: str, selection: Selection) -> Iterator[Path]:
    """Yield the sample hand-ins that are graded among the attacks, besides the honest bodies."""
    in_full = selection.has_in_full("walls") and host == MAIN_HOST
    for path in sorted((ROOT / "submissions" / "yinyang").iterdir()):
        if path.stem != ENDLESS and (in_full or selection.draws(path.name, HAND_INS_ONE_IN)):
            yield path


def without_own_code(page: str) -> str:
    """Return a `page` without the source of the attack, which stands on the attack's own page."""
    return re.sub(r'<section class="own-code[^>]*>.*?</section>', "", page, flags=re.DOTALL)


@dataclass(frozen=True)
class Batch:
    """What a batch left behind, and what its witnesses noticed."""

    folder: Path
    attacks: tuple[Attack, ...]

    @cached_property
    def report(self) -> Mapping[str, Any]:
        """What was seen around the commands."""
        loaded: dict[str, Any] = json.loads((self.folder / "plan.report").read_text())
        return loaded

    @cached_property
    def secrets(self) -> Mapping[str, str]:
        """The secrets that lay about, by the place where they lay."""
        loaded: dict[str, str] = json.loads((self.folder / "plan.json").read_text())["secrets"]
        return loaded

    def done(self, command: int) -> Done:
        """Return how a command of the batch ended."""
        return Done(**self.report["done"][command])

    @property
    def pages(self) -> Path:
        """The folder with the reports on all of them together."""
        return self.folder / "mixed"

    @property
    def calm_pages(self) -> Path:
        """The folder with the reports on the honest ones, graded alone."""
        return self.folder / "calm"

    @cached_property
    def records(self) -> Mapping[str, bytes]:
        """The records of all of them by student, as they are kept: staff reads what is hidden."""
        with Store.reading(self.pages) as store:
            return {entry.student: decompress(graded.data) for entry, graded in store}

    @cached_property
    def entries(self) -> Mapping[tuple[str, str], Mapping[str, Any]]:
        """The entries of `results.json` by exercise and student."""
        return entries(self.pages / "results.json")

    @cached_property
    def page_of(self) -> Mapping[str, str]:
        """The page of each attack by its name, as the index has it."""
        index = (self.pages / "index.html").read_text(encoding="utf-8")
        index = index.replace("<wbr>", "")  # where a long name may break
        links = re.findall(r'<th scope="row"[^>]*><a href="(target/[^"]*)">([^<]*)</a>', index)
        return {
            name: without_own_code((self.pages / href).read_text(encoding="utf-8"))
            for href, name in links
        }

    def entry(self, attack: Attack) -> Mapping[str, Any]:
        """Return what `results.json` says of an attack."""
        return self.entries["target", attack.name]

    def verdict(self, attack: Attack) -> str:
        """Return the verdict of `answer(1)`, or how it is that there is none."""
        entry = self.entry(attack)
        if entry["status"] != "graded":
            return str(entry["status"]).upper()
        return str(case_of(entry, "attacked/first")["verdict"])

    def written(self) -> Iterator[tuple[str, bytes]]:
        """Yield all that the run over all of them wrote and said, by where, but for its store.

        There staff reads what is hidden. An attack's own source is left out: on its page its author
        reads what they wrote.
        """
        done = self.done(MIXED)
        yield "standard output", os.fsencode(done.out)
        yield "standard error", os.fsencode(done.err)
        for path in (self.folder / "mixed.xml", *sorted(self.pages.rglob("*"))):
            if path.suffix == ".html":
                page = without_own_code(path.read_text(encoding="utf-8"))
                yield str(path.relative_to(self.folder)), page.encode()
            elif path.is_file() and path.name != STORE_NAME:
                yield str(path.relative_to(self.folder)), path.read_bytes()


def entries(results: Path) -> Mapping[tuple[str, str], Mapping[str, Any]]:
    """Return the entries of a `results.json` by exercise and student."""
    submissions = json.loads(results.read_bytes())["submissions"]
    return {(entry["exercise"], entry["student"]): entry for entry in submissions}


def case_of(entry: Mapping[str, Any], case_id: str) -> Mapping[str, Any]:
    """Return a case of an entry of `results.json`."""
    (found,) = (case for case in entry["cases"] if case["id"] == case_id)
    return dict(found)


def batch_for(request: pytest.FixtureRequest, factory: pytest.TempPathFactory) -> Batch:
    """Return the batch in the host that a fixture is asked for, the same one for all workers."""
    host = str(request.param)
    if host != MAIN_HOST != "as_root":
        pytest.skip("only root can set this host up")
    own_folder = factory.getbasetemp()
    shared = own_folder.parent if "PYTEST_XDIST_WORKER" in os.environ else own_folder
    selection = request.config.stash[SELECTION]
    pythons = _pythons(request, selection.hosts)
    if host not in pythons:
        request.getfixturevalue("installed")  # it says why there is none
    with open(shared / "hostile.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        missing = [name for name in pythons if not (shared / f"hostile-{name}").exists()]
        with ThreadPoolExecutor(len(HOSTS)) as threads:  # attacks that sleep need no processor
            making = [
                threads.submit(
                    _make,
                    name,
                    selection,
                    pythons[name],
                    shared / f"hostile-{name}",
                )
                for name in missing
            ]
        for made in making:
            made.result()
    return Batch(shared / f"hostile-{host}", attacks_in(host, selection))


def _pythons(request: pytest.FixtureRequest, hosts: Sequence[str]) -> Mapping[str, Path]:
    """Return those of `hosts` that can be had, and whose command line grades there.

    Our own interpreter need not be within reach of others: those use an installation.
    """
    pythons = {MAIN_HOST: Path(sys.executable)}
    others = [host for host in hosts if host != MAIN_HOST]
    if others and MAIN_HOST == "as_root" and installations.can_install():
        pythons |= dict.fromkeys(others, request.getfixturevalue("installed"))
    return pythons


def _make(host: str, selection: Selection, python: Path, kept: Path) -> None:
    """Grade, and keep what came of it in the folder `kept`."""
    public = Path(tempfile.mkdtemp(prefix="grader-hostile-"))
    try:
        public.chmod(0o755)
        plan = _Place(folder=public, host=host, selection=selection).plan(python)
        written = public / "plan.json"
        written.write_text(json.dumps(asdict(plan)))
        environment = {"PATH": os.environ.get("PATH", os.defpath)}  # coverage is not for the judge
        subprocess.run(
            [sys.executable, str(STAGE_PROGRAM), str(written)], env=environment, check=True
        )
        part = kept.with_suffix(".part")
        shutil.copytree(public / "reports", part)
        for file in (written, written.with_suffix(".report")):
            shutil.copy(file, part)
        part.rename(kept)
    finally:
        shutil.rmtree(public)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A folder with all that a batch needs, where every user may reach it."""

    folder: Path
    host: str
    selection: Selection

    def plan(self, python: Path) -> Plan:
        """Lay out all that is needed; return what to do with the command line beside `python`."""
        uid = self._open_folders()
        self._lay_out_suites()
        secrets_by_place = {place: f"secret-{secrets.token_hex(16)}" for place in self._places()}
        honest = self._lay_out_honest(secrets_by_place["neighbour"])
        mixed = [*honest, *self._lay_out_corpus()]
        random.Random(SEED).shuffle(mixed)  # any order will do, the same each time
        grader = str(python.with_name("grader"))
        prefixes = (python.parents[1], ROOT, sys.prefix, sys.base_prefix)
        return Plan(
            host=self.host,
            uid=uid,
            home=str(self.folder / "home"),
            work=str(self.folder / "work"),
            open_folder=str(self.folder / "open"),
            kept=[str(self.folder), *map(str, prefixes)],
            commands=[
                [grader, "doctor", "--json"],
                [grader, "grade", *honest, *self._options("calm")],
                [grader, "grade", *mixed, *self._options("mixed"), "--json"],
            ],
            secrets=secrets_by_place,
            announced=[str(path) for path in sorted(self.folder.rglob("witnesses.py"))],
        )

    def _places(self) -> list[str]:
        """Return where secrets lie."""
        folders = [*filter(os.path.isdir, PUBLIC_PLACES), str(self.folder / "work")]
        return ["environment", "neighbour", *folders]

    def _open_folders(self) -> int:
        """Make folders; return the user whom they are open to, whom executors run as."""
        uid = NOBODY if os.geteuid() == 0 else os.geteuid()
        for name, mode in {"work": 0o777, "open": 0o777, "home": 0o700, "reports": 0o755}.items():
            folder = self.folder / name
            folder.mkdir()
            folder.chmod(mode)
            if name in {"home", "reports"}:
                os.chown(folder, uid, -1)
        return uid

    def _lay_out_suites(self) -> None:
        suites = self.folder / "testsuites"
        suites.mkdir()
        for suite in (CORPUS / "target.yaml", ROOT / "testsuites" / "yinyang.yaml"):
            shutil.copy(suite, suites)
        shutil.copytree(ROOT / "reference" / "yinyang", self.folder / "reference" / "yinyang")

    def _lay_out_honest(self, secret: str) -> list[str]:
        """Give each honest hand-in a folder of its own, so that they can be in any order."""
        folder = self.folder / "honest"
        for path in hand_ins(self.host, self.selection):
            _copy(path, folder / path.stem / "yinyang" / path.name)
        for name, body in {**HONEST_BODIES, "neighbour": f"return n  # not {secret}"}.items():
            path = folder / f"target-{name}" / "target" / f"honest_{name}.py"
            path.parent.mkdir(parents=True)
            path.write_text(HONEST_HAND_IN.replace("{body}", body), encoding="utf-8")
        return sorted(map(str, folder.iterdir()))

    def _lay_out_corpus(self) -> list[str]:
        folder = self.folder / "attacks"
        for attack in attacks_in(self.host, self.selection):
            attack.lay_out(folder / attack.name / "target" / attack.name)
        return sorted(map(str, folder.iterdir()))

    def _options(self, name: str) -> list[str]:
        out = str(self.folder / "reports" / name)
        suites = str(self.folder / "testsuites")
        return ["--suites", suites, "--out", out, "--junit", f"{out}.xml", "--jobs", JOBS]


def _copy(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True)
    if source.is_dir():
        shutil.copytree(source, target, symlinks=True)
    else:
        shutil.copy(source, target)
