"""`grader export`: writes marks and pages for the platform."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.existing_runs import entries_of_exercise
from grader.cli.options import SeamChoice, suites_option
from grader.cli.terminal import named, names, say, warn, warn_of
from grader.errors import NothingToGrade, UsageError
from grader.intake.roster import Key
from grader.plugins.platforms.gradebooks.delimited import MAX_BYTES, decimal_text
from grader.plugins.platforms.gradebooks.filling import Filled, Wishes, fill
from grader.plugins.platforms.gradebooks.listing import listing
from grader.plugins.platforms.gradebooks.marks import Mark, marks_of, records_of
from grader.plugins.platforms.gradebooks.scaling import Scaling, number
from grader.plugins.platforms.pages import write_archive, write_folder, write_mails
from grader.reporting.brief import in_brief
from grader.reporting.writing import (
    is_special,
    write_atomically,
)
from grader.seams import EXTRAS, PLATFORMS
from grader.store.runs import names_apart
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import count_of, one_line
from grader.verdict import Status

_FOLDER: Final = "folder"
_MAX_AMOUNT: Final = 100_000


def _takers() -> list[str]:
    """Return the names of our platforms that import pages."""
    return [each.name for each in PLATFORMS.installed() if each.pages is not None]


def _amount(_context: click.Context, _option: click.Parameter, text: str | None) -> Decimal | None:
    """Return the positive number in `text`, exactly, with a decimal point or comma."""
    if text is None:
        return None
    found = number(text)
    if found is None or not 0 < found <= _MAX_AMOUNT:
        raise click.BadParameter(f"give a number above 0 and at most {_MAX_AMOUNT}")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """The options of the command."""

    into: Path | None
    feedback: str | None
    mail: bool
    to: Path | None
    exercise: str | None
    column: str | None
    match: str | None
    overwrite: bool
    skip_doubtful: bool
    out_of: Decimal | None
    step: Decimal
    half: str
    download: Path | None
    partial: bool
    sources: str | None
    suites: Path | None

    def target(self, default: Path) -> Path:
        """Return the path to write, `default` without --to.

        Raises `UsageError` if that would replace something.
        """
        path = self.to or default
        if path.name == STORE_NAME or os.path.isfile(path / STORE_NAME):
            raise UsageError(
                f"{one_line(str(path))} belongs to a run, which must not be overwritten",
                help="name another place with --to",
            )
        # Devices and pipes, such as `/dev/stdout`, may be written to.
        is_there = os.path.lexists(path) and not is_special(path)  # a broken link too
        if is_there and not self.overwrite and not _is_empty_folder(path):
            raise UsageError(
                f"{one_line(str(path))} exists already",
                help="name another place with --to, or replace it with --overwrite",
            )
        return path

    @property
    def scaling(self) -> Scaling:
        """How to turn points into marks."""
        return Scaling(out_of=self.out_of, step=self.step, half_even=self.half == "even")

    def check(self) -> None:
        """Raise `UsageError` for options that cannot be combined."""
        wishes = (self.into, self.feedback, self.mail or None, self.sources)
        if sum(each is not None for each in wishes) > 1:
            raise UsageError("--into, --feedback, --mail and --sources cannot be combined")
        if self.suites is not None and self.sources is None:
            raise UsageError("--suites needs --sources")
        if self.into is None and any((self.column, self.match, self.skip_doubtful)):
            raise UsageError(
                "--column, --match and --skip-doubtful need a worksheet",
                help="name it with --into",
            )
        writes = self.into or self.feedback or self.mail or self.sources or self.to
        if self.overwrite and not writes:
            raise UsageError("--overwrite has no effect, as no file is written")
        if self.download is not None and self.feedback in {None, _FOLDER}:
            raise UsageError("--download needs --feedback with a platform")


@click.command("export")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--into",
    metavar="WORKSHEET",
    type=click.Path(path_type=Path),
    help="Fill a copy of this gradebook.",
)
@click.option(
    "--feedback",
    type=SeamChoice([*_takers(), _FOLDER], PLATFORMS),
    help="Write the zip of pages for this platform, or a folder of them.",
)
@click.option("--mail", is_flag=True, help="Write a mail for each student; none is sent.")
@click.option("--to", type=click.Path(path_type=Path), help="File or folder to write.")
@click.option("--exercise", metavar="NAME", help="The exercise, if the run has several.")
@click.option("--column", metavar="NAME", help="Header of the column for the marks.")
@click.option(
    "--match", type=click.Choice([*map(str, Key)]), help="Match students by this key only."
)
@click.option("--overwrite", is_flag=True, help="Replace what is there: files, marks and feedback.")
@click.option("--skip-doubtful", is_flag=True, help="Leave out students whose row is in doubt.")
@click.option("--out-of", metavar="NUMBER", callback=_amount, help="Scale marks to this maximum.")
@click.option(
    "--round",
    "step",
    metavar="NUMBER",
    callback=_amount,
    default="0.01",
    help="Round to multiples. Default: 0.01.",
)
@click.option(
    "--half",
    type=click.Choice(["up", "even"]),
    default="up",
    help="How to round halves. Default: up.",
)
@click.option(
    "--download",
    metavar="ZIP",
    type=click.Path(path_type=Path),
    help="The download of the hand-ins, for the names in it.",
)
@click.option(
    "--sources",
    type=click.Choice(["dolos", "jplag", "folder"]),
    help="Write the files for a program that compares them.",
)
@suites_option
@click.option("--partial", is_flag=True, help="Leave out students without a mark.")
def command(run: Path, **asked: Any) -> None:
    """Write the marks or pages of RUN for the platform.

    Without --into, --feedback, --mail or --sources it prints all marks as CSV.
    """
    options = _Options(**asked)
    options.check()
    with Store.reading(run) as store:
        if options.sources is not None:
            _lay_out(store, options.sources, options.target(_beside(run, "-sources")), options)
            return
        marks = _marks(store, options)
        if options.into is not None:
            _fill(store, marks, options.into, options)
        elif options.feedback == _FOLDER:
            write_folder(store, marks, options.target(_beside(run, "-feedback")))
        elif options.feedback is not None:
            target = options.target(_beside(run, f"-feedback-{options.feedback}.zip"))
            platform = PLATFORMS.load(options.feedback)
            write_archive(store, marks, platform, target, options.download)
        elif options.mail:
            write_mails(store, marks, options.target(_beside(run, "-mail")))
        else:
            _list(marks, options)


def _lay_out(store: Store, layout: str, target: Path, options: _Options) -> None:
    write_sources = EXTRAS.load("--sources")
    entries = entries_of_exercise(store.run.entries, options.exercise)
    _require_one({each.exercise: None for each in entries})
    count = write_sources(store, entries, layout, target, options.suites)
    say(f"the files of {count} hand-ins: {one_line(str(target))}")


def _require_one(exercises: Mapping[str, None]) -> None:
    if len(exercises) > 1:
        raise UsageError(
            f"the run has {len(exercises)} exercises",
            help=f"add --exercise NAME: {names(exercises)}",
        )


def _is_empty_folder(path: Path) -> bool:
    with suppress(OSError):  # it is a file, or not readable
        return not os.listdir(path)
    return False


def _beside(run: Path, ending: str) -> Path:
    """Return the default path to write, beside `run`."""
    # `.` and `..` have no name to extend.
    named = run if run.name not in {"", ".."} else run.resolve()
    return named.with_name(f"{named.name}{ending}")


def _marks(store: Store, options: _Options) -> Sequence[Mark]:
    """Return the requested marks; raises `UsageError` if the run has none, or not all of them."""
    entries = entries_of_exercise(store.run.entries, options.exercise)
    exercises = dict.fromkeys(entry.exercise for entry in entries)
    # A worksheet, or a zip for a platform, is for one exercise.
    is_of_one = options.into is not None or options.feedback not in {None, _FOLDER}
    if is_of_one:
        _require_one(exercises)
    marks = [mark for mark in marks_of(store) if mark.exercise in exercises]
    graded = [mark for mark in marks if mark.status is not Status.FAULT]
    have = {(mark.exercise, mark.student) for mark in graded}
    called = names_apart(store.run.entries)
    without = [called[entry.name] for entry in entries if entry.name not in have]
    _check_whole(without, partial=options.partial)
    if not graded:
        raise NothingToGrade("nobody in the run has a mark yet")
    _name_undecided(graded)
    unread = [mark.shown for mark in graded if mark.is_lost]
    warn_of("nothing in the hand-in can be run, so the mark is 0", unread)
    return graded


def _check_whole(without: Sequence[str], *, partial: bool) -> None:
    if not without:
        return
    if not partial:
        raise UsageError(
            f"{len(without)} of the submissions have no mark: {named(without)}",
            help="run the command that grades again, or leave these out with --partial",
        )
    warn(f"left out, as they have no mark: {named(without)}")


def _name_undecided(marks: Iterable[Mark]) -> None:
    waiting = [f"{mark.shown} ({', '.join(mark.undecided)})" for mark in marks if mark.undecided]
    if waiting:
        warn(f"a person still has to decide on rules of {len(waiting)}: {named(waiting)}")


def _fill(store: Store, marks: Sequence[Mark], into: Path, options: _Options) -> None:
    data = _content(into)
    # Another path, or a link, may lead to it.
    if options.to is not None and options.to.exists() and options.to.samefile(into):
        raise UsageError("the worksheet itself is never changed", help="name another with --to")
    target = options.target(into.with_name(f"{into.stem}.filled{into.suffix}"))
    briefs: dict[str, str] = {}

    def feedback(mark: Mark) -> str:
        if not briefs:  # reading all records is slow, and most worksheets have no feedback column
            found = records_of(store, marks)
            briefs.update((each.student, in_brief(record)) for each, _, record in found)
        return briefs[mark.student]

    wishes = Wishes(
        scaling=options.scaling,
        column=options.column,
        key=None if options.match is None else Key(options.match),
        overwrite=options.overwrite,
        skips_doubtful=options.skip_doubtful,
    )
    done = fill(data, marks, feedback, wishes)
    write_atomically(target, done.data)
    _tell(done, marks, options)
    say(f"worksheet: {one_line(str(target))}")


def _content(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(MAX_BYTES + 1)  # one more than allowed, so that reading it is refused
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(path))}: {error.strerror}") from error


def _tell(done: Filled, marks: Sequence[Mark], options: _Options) -> None:
    """Report what happened to each mark."""
    matches, scaling = done.matches, options.scaling
    say(f"{done.dialect}, column {one_line(done.column)}: marks {scaling}")
    if done.maximum is None:
        points = {decimal_text(scaling.mark(each.max_score, each.max_score)) for each in marks}
        warn(f"the worksheet does not show its maximum; these marks are out of {names(points)}")
    elif options.out_of not in {None, done.maximum}:
        warn(f"marks on the platform are out of {decimal_text(done.maximum)}")
    say(f"{count_of(done.written, 'mark')} filled, {done.same} there already")
    if done.sentences or done.said_before:
        say(f"feedback filled for {done.sentences}, kept for {done.said_before}")
    for what, clashes in (("replaced", done.replaced), ("kept, not replaced", done.kept)):
        shown = [f"{c.who} ({c.there}, ours {decimal_text(c.ours)})" for c in clashes]
        warn_of(what, shown)
    other_names = [
        f"{match.shown} (row {match.row + 1}, {match.other_name})"
        for match in matches.found
        if match.other_name is not None
    ]
    by_name = [match.shown for match in matches.found if match.by is Key.NAME]
    loosely = [match.shown for match in matches.found if match.is_loose]
    warn_of("locked in the worksheet, not filled", done.locked)
    warn_of("matched by name only", by_name)
    warn_of("matched by an id without its leading zeros", loosely)
    warn_of(f"the same {options.match}, but another name", other_names)
    warn_of("in doubt, left out", matches.doubtful)
    warn_of("in the run, not in the worksheet", matches.not_there)
    warn_of("in the worksheet, without a mark in the run", matches.without_mark)


def _list(marks: Sequence[Mark], options: _Options) -> None:
    text = listing(marks, options.scaling)
    if options.to is None:
        sys.stdout.write(text)
        return
    target = options.target(options.to)
    write_atomically(target, text.encode())
    say(f"{count_of(len(marks), 'mark')}: {one_line(str(target))}")
