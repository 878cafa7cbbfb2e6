"""`grader grade`: a folder of hand-ins becomes reports and results."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import click

from grader.cli.interpreters import warn_of_newer
from grader.cli.options import exercise_option, json_option, junit_option, suites_option
from grader.cli.progress import RunProgress
from grader.cli.report import exit_on_faults, print_results, say_where
from grader.cli.talk import names, say, warn
from grader.errors import NothingToGrade, OutputError, UsageError
from grader.intake.submissions import Entry, discover, distinct, left_out
from grader.judging.rules import KINDS
from grader.reporting.output import prepare, run_entries, write_pseudonyms, write_reports
from grader.reporting.pseudonyms import Pseudonyms
from grader.run.chunks import Terms
from grader.run.engines import local_engine
from grader.run.grading import grade_all
from grader.run.keeping import StoreKeeper
from grader.run.tasks import Task
from grader.sandbox.executor import HIGHEST_LEVEL, LEAST_LEVEL
from grader.sandbox.sandbox import usable_cores
from grader.store.patterns import Pattern
from grader.store.places import sole_writer
from grader.store.runs import Manner, Run, Shard, SuiteFacts
from grader.store.store import STORE_NAME, Store
from grader.suite.exercises import find_suite, suite_paths, suites_folder
from grader.suite.hidden import case_counts
from grader.suite.loading import stray_hidden_suites
from grader.suite.model import Suite
from grader.values.display import one_line
from grader.verdict import Status

EXIT_INTERRUPTED = 130
_CONTRADICTIONS = (
    ("public", "seed", "pools to draw from are in the hidden suite only"),
    ("isolation", "trust_submissions", "--trust-submissions makes do with any level"),
    ("sheets", "no_reports", "sheets are written beside the pages"),
    ("pseudonyms", "no_reports", "the table of who is who is written beside the pages"),
    ("shard", "pseudonyms", "shards would draw a pseudonym each for the same student"),
    ("shard", "no_reports", "a shard writes none: `grader merge` does"),
    ("shard", "junit", "`grader merge` has it for all shards together"),
    ("shard", "as_json_", "`grader merge` has it for all shards together"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """Command-line options of `grader grade`."""

    exercise: str | None
    suites: Path | None
    public: bool
    seed: str | None
    out: Path
    no_reports: bool
    sheets: bool
    pseudonyms: bool
    jobs: int | None
    isolation: int | None
    trust_submissions: bool
    fresh: bool
    shard: Shard | None
    junit: Path | None
    as_json_: bool

    @property
    def least_level(self) -> int:
        """The level below which nothing is graded."""
        return 0 if self.trust_submissions else self.isolation or LEAST_LEVEL

    @property
    def pages(self) -> bool:
        """Whether pages are written."""
        return not self.no_reports and self.shard is None

    @property
    def folder(self) -> Path:
        """Where the store is."""
        return self.out if self.shard is None else self.out / self.shard.folder


class _Found(NamedTuple):
    """A hand-in, and the suite that it is for."""

    suite: Suite
    entry: Entry


def _shard(_context: click.Context, _option: click.Parameter, text: str | None) -> Shard | None:
    """Return the shard that `text` means, such as `3/40`."""
    if text is None:
        return None
    found = re.fullmatch(r"0*([1-9][0-9]{0,4})/([1-9][0-9]{0,4})", text, re.ASCII)
    if found is None or int(found[1]) > int(found[2]):
        raise click.BadParameter("it is K/N, such as 3/40 for the third of 40 shares")
    return Shard(int(found[1]), int(found[2]))


@click.command("grade")
@click.argument("submissions", nargs=-1, required=True, type=click.Path(path_type=Path))
@exercise_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("reports"),
    show_default=True,
    help="Folder for the reports.",
)
@click.option("--no-reports", is_flag=True, help="Write no pages; with --json or --junit.")
@click.option(
    "--sheets", is_flag=True, help="Write a sheet for the oral defence to each page, to be printed."
)
@click.option(
    "--pseudonyms",
    is_flag=True,
    help="Name no student in what is written, save in a table of who is who.",
)
@click.option("--public", is_flag=True, help="Leave out the hidden suite.")
@click.option(
    "--seed",
    metavar="TEXT",
    help="Draw sessions from pools of the hidden suite by this. Default: by what these ask.",
)
@click.option("--jobs", type=click.IntRange(1, 256), help="Workers. Default: one per core.")
@click.option(
    "--isolation",
    type=click.IntRange(1, HIGHEST_LEVEL),
    help="Refuse below this isolation level. Default: 1. See `grader doctor`.",
)
@click.option(
    "--trust-submissions", is_flag=True, help="Grade even where nothing isolates submissions."
)
@click.option(
    "--fresh", is_flag=True, help="Grade all anew. The run that is there gets another name."
)
@click.option(
    "--shard",
    metavar="K/N",
    callback=_shard,
    help="Grade one of N shares, the Kth. See `grader merge`.",
)
@suites_option
@junit_option
@json_option
def command(submissions: tuple[Path, ...], **options: Any) -> None:
    """Grade SUBMISSIONS, folders with one file or one folder per student.

    The exercise is the one named by --exercise; otherwise each folder is named after its exercise,
    or holds folders that are. A hidden suite beside that of the exercise is used too.
    """
    _refuse_contradictions(options)
    asked = _Options(**options)
    finder = _SuiteFinder(asked.suites, public=asked.public)
    found = [one for folder in submissions for one in _found(folder, asked.exercise, finder)]
    tasks = _told_apart(_once(found, asked))
    finder.warn_of_strays(asked.exercise)
    _tell_hidden({task.suite.exercise: task.suite for task in tasks}.values())
    if asked.no_reports:
        with TemporaryDirectory() as folder:
            _grade(tasks, Path(folder), asked)
    else:
        _grade(tasks, asked.folder, asked)


def _grade(tasks: Sequence[Task], folder: Path, asked: _Options) -> None:
    """Grade `tasks`, and write below `folder` and print what is asked for."""
    if asked.fresh:
        set_aside(folder)
    pseudonyms = None
    if asked.pseudonyms:
        pseudonyms = Pseudonyms.drawn(task.entry.student for task in tasks)
        tasks = _in_order_of(pseudonyms, tasks)
        write_pseudonyms(folder, pseudonyms)
    run = _run(tasks, asked, pseudonyms)
    share = range(len(tasks)) if asked.shard is None else asked.shard.positions(len(tasks))
    with Store.writing(folder) as store, local_engine(_workers(share, asked)) as engine:
        if asked.shard is None:
            prepare(folder, asked.junit)
        store.begin(run, patterns_of(task.suite for task in tasks))
        engine.begin()
        with RunProgress(len(share)) as progress:
            keeper = StoreKeeper(store, run, folder, pages=asked.pages, told=progress.advance)
            complete = grade_all(tasks, keeper, _terms(asked, pseudonyms), engine, share)
        if asked.shard is None:
            keeper.tidy()
            counts = write_reports(
                folder, store, junit=asked.junit, sheets=asked.sheets, index=asked.pages
            )
        else:
            counts = store.statuses()
        store.note("done" if complete else "interrupted", graded=keeper.statuses.total())
    _tell(keeper, folder, asked)
    if not complete:
        what = "the reports cover" if asked.shard is None else "the shard has"
        say(f"interrupted: {what} what was graded; the same command goes on")
        sys.exit(EXIT_INTERRUPTED)
    if asked.shard is not None:
        _say_next(asked.shard, folder)
    exit_on_faults(counts[Status.FAULT])


def _tell(keeper: StoreKeeper, folder: Path, asked: _Options) -> None:
    """Say what is worth knowing of a run, and print what is asked for."""
    if keeper.graded_before:
        say(f"{keeper.graded_before} of them were graded before; --fresh grades all again")
    if keeper.needs is not None:
        warn_of_newer(keeper.needs)
    if asked.as_json_:
        print_results(folder)
    if asked.pages:
        say_where(folder)


def _say_next(shard: Shard, folder: Path) -> None:
    """Say what to do when a shard is done."""
    out, all_shards = folder.parent, folder.parent / f"shard-*-of-{shard.count}"
    say(f"shard {shard} is done, in {one_line(str(folder))}")
    say(f"when all are: grader merge {one_line(str(out))} {one_line(str(all_shards))}")


def _workers(share: range, asked: _Options) -> int:
    return max(1, min(asked.jobs or usable_cores(), len(share)))


def _terms(asked: _Options, pseudonyms: Pseudonyms | None) -> Terms:
    return Terms(
        least_level=asked.least_level,
        seed=asked.seed,
        pages=asked.pages,
        sheets=asked.sheets,
        pseudonyms=pseudonyms,
    )


def set_aside(folder: Path) -> None:
    """Give what is in `folder`, if that has a run, another name beside it.

    The store may be damaged, or one of another version: it is not opened.
    """
    if not (folder / STORE_NAME).exists():
        return
    with sole_writer(folder):
        numbers = (folder.with_name(f"{folder.name}.{number}") for number in count(1))
        aside = next(path for path in numbers if not path.exists())
        try:
            folder.rename(aside)
        except OSError as error:
            shown = one_line(str(folder))
            raise OutputError(f"cannot rename {shown}: {error.strerror}") from error
    say(f"the run that was there is now in {one_line(str(aside))}")


def _run(tasks: Sequence[Task], asked: _Options, pseudonyms: Pseudonyms | None) -> Run:
    """Return what is to be graded, and how, as it is kept with the records."""
    suites = {task.suite.exercise: task.suite for task in tasks}
    called = str if pseudonyms is None else pseudonyms.of
    return Run(
        entries=run_entries((task.suite.exercise, called(task.entry.student)) for task in tasks),
        manner=Manner(
            language=tasks[0].suite.language,
            sheets=asked.sheets,
            public=asked.public,
            # With the seed and the class list, what was drawn would tell who is who.
            seed=asked.seed if pseudonyms is None else None,
            keeps_hand_ins=pseudonyms is None,
            least_isolation=asked.least_level,
            suites={exercise: suite_facts(suite) for exercise, suite in suites.items()},
            shard=asked.shard,
        ),
    )


def patterns_of(suites: Iterable[Suite]) -> dict[str, bytes]:
    """Return what records on `suites` are packed to, by the hashes of these."""
    distinct_ones = {suite.sha256: suite for suite in suites}
    return {sha256: Pattern.of(suite).to_bytes() for sha256, suite in distinct_ones.items()}


def suite_facts(suite: Suite) -> SuiteFacts:
    """Return what a run keeps of `suite`."""
    max_score = sum(group.points for group in suite.groups)
    return SuiteFacts(sha256=suite.sha256, title=suite.title, max_score=max_score)


def _tell_hidden(suites: Iterable[Suite]) -> None:
    """Say of each suite that has a hidden part how many cases a student faces."""
    for suite in suites:
        if suite.hidden_share is not None:
            public, hidden = case_counts(suite)
            say(f"{suite.exercise}: {public} public and {hidden} hidden cases")


def _refuse_contradictions(options: Mapping[str, Any]) -> None:
    """Raise `UsageError` where two options ask for opposite things."""
    for one, other, way_out in _CONTRADICTIONS:
        if not {None, False} & {options[one], options[other]}:
            words = f"--{one} and --{other} contradict each other".replace("as_json_", "json")
            raise UsageError(words.replace("_", "-"), help=way_out)


def _once(found: Sequence[_Found], asked: _Options) -> list[_Found]:
    """Return what was `found` without what is there twice, and without our own folder."""
    ours = asked.out.absolute()
    distinct_ones: dict[tuple[str, Path], _Found] = {}
    for one in found:
        path = one.entry.path.absolute()
        if path == ours:
            warn(f"{one_line(str(path))} is where the reports go, not a hand-in")
        else:
            distinct_ones.setdefault((one.suite.exercise, path), one)
    if not distinct_ones:
        raise NothingToGrade("nothing to grade but our own reports")
    return list(distinct_ones.values())


def _told_apart(found: Sequence[_Found]) -> list[Task]:
    """Return the tasks with students that differ within an exercise, whatever their folders."""
    told = {
        exercise: iter(distinct([one.entry for one in found if one.suite.exercise == exercise]))
        for exercise in {one.suite.exercise for one in found}
    }
    return [Task(one.suite, next(told[one.suite.exercise])) for one in found]


def _in_order_of(pseudonyms: Pseudonyms, tasks: Sequence[Task]) -> list[Task]:
    """Return `tasks` by exercise and pseudonym: the order of names would tell who is who."""
    exercises = list(dict.fromkeys(task.suite.exercise for task in tasks))

    def place(task: Task) -> tuple[int, str]:
        return exercises.index(task.suite.exercise), pseudonyms.of(task.entry.student)

    return sorted(tasks, key=place)


@dataclass(frozen=True, slots=True)
class _SuiteFinder:
    """Where suites are taken from, and whether without their hidden parts."""

    folder: Path | None
    public: bool

    def suite(self, exercise: str) -> Suite:
        return find_suite(exercise, self.folder, KINDS, whole=not self.public)

    def warn_of_strays(self, exercise: str | None) -> None:
        """Warn of hidden suites that would go unused for their names."""
        if self.public:
            return
        is_path = exercise is not None and exercise.endswith((".yaml", ".yml"))
        folder = Path(exercise or "").parent if is_path else suites_folder(self.folder)
        if strays := stray_hidden_suites(folder):
            where = one_line(str(folder))
            warn(f"not used, as no suite in {where} has their name: {names(strays[:10])}")


def _found(folder: Path, exercise: str | None, finder: _SuiteFinder) -> Sequence[_Found]:
    """Return the hand-ins that lie in `folder`, for one exercise or several."""
    if exercise is not None:
        suite = finder.suite(exercise)
        entries = discover(folder)
        if others := left_out(folder):
            warn(f"no hand-ins, left out of {one_line(str(folder))}: {names(others[:10])}")
        return [_Found(suite, entry) for entry in entries]
    known = suite_paths(suites_folder(finder.folder))
    if folder.resolve().name in known:
        return _found(folder, folder.resolve().name, finder)
    below = [name for name in known if os.path.isdir(folder / name)]
    if not below:
        discover(folder)  # a folder that is missing or empty is told as such first
        raise UsageError(
            f"which exercise is {one_line(str(folder))}?",
            help=f"add --exercise NAME; known here: {names(known)}",
        )
    return [one for name in below for one in _found(folder / name, name, finder)]
