"""`grader export`: marks and pages as the platform takes them back."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.students import of_exercise
from grader.cli.talk import names, say, warn
from grader.errors import NothingToGrade, UsageError
from grader.gradebooks.delimited import MAX_BYTES, decimal_text
from grader.gradebooks.filling import Filled, Wishes, fill
from grader.gradebooks.listing import listing
from grader.gradebooks.mails import addresses, mail
from grader.gradebooks.marks import Mark, marks_of, records_of
from grader.gradebooks.pages import Names, PageArchive, Platform, paths_for, paths_in
from grader.gradebooks.scaling import Scaling, number
from grader.intake.columns import Key
from grader.reporting.brief import in_brief
from grader.reporting.student_page import student_page
from grader.reporting.writing import (
    file_stem,
    is_special,
    replacing,
    write_atomically,
    write_below,
)
from grader.store.store import STORE_NAME, Store
from grader.values.display import one_line
from grader.verdict import Status

_FOLDER: Final = "folder"
_MAX_NAMED: Final = 100
_MAX_AMOUNT: Final = 100_000


def _amount(_context: click.Context, _option: click.Parameter, text: str | None) -> Decimal | None:
    """Return the number over 0 that was typed, exactly; a comma is taken for a point."""
    if text is None:
        return None
    found = number(text)
    if found is None or not 0 < found <= _MAX_AMOUNT:
        raise click.BadParameter(f"it is a number over 0, and at most {_MAX_AMOUNT}")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Options:
    """What was asked for."""

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

    def target(self, default: Path) -> Path:
        """Return what is to be written, by `default` if nothing was named.

        Raises `UsageError` where that would replace something.
        """
        path = self.to or default
        if path.name == STORE_NAME or (path / STORE_NAME).is_file():
            raise UsageError(
                f"{one_line(str(path))} is a run, and nothing else is written there",
                help="name another place with --to",
            )
        is_there = os.path.lexists(path) and not is_special(path)
        if is_there and not self.overwrite and not (path.is_dir() and not any(path.iterdir())):
            raise UsageError(
                f"{one_line(str(path))} is there already",
                help="name another place with --to, or replace it with --overwrite",
            )
        return path

    @property
    def scaling(self) -> Scaling:
        """How points become marks."""
        return Scaling(out_of=self.out_of, step=self.step, half_even=self.half == "even")

    def check(self) -> None:
        """Raise `UsageError` for options that do not go together."""
        if (self.into is not None) + (self.feedback is not None) + self.mail > 1:
            raise UsageError("--into, --feedback and --mail do not go together")
        if self.into is None and any((self.column, self.match, self.skip_doubtful)):
            raise UsageError(
                "--column, --match and --skip-doubtful are about a worksheet",
                help="name it with --into",
            )
        writes = self.into or self.feedback or self.mail or self.to
        if self.overwrite and not writes:
            raise UsageError("--overwrite is about files, and none is written")
        if self.download is not None and self.feedback in {None, _FOLDER}:
            raise UsageError("--download is for --feedback with a platform")


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
    type=click.Choice([*map(str, Platform), _FOLDER]),
    help="Make the zip of pages that this platform takes back, or a folder of them.",
)
@click.option("--mail", is_flag=True, help="Write a mail for each student; none is sent.")
@click.option("--to", type=click.Path(path_type=Path), help="File or folder to write.")
@click.option("--exercise", metavar="NAME", help="The exercise, where the run has several.")
@click.option("--column", metavar="NAME", help="Header of the column for the marks.")
@click.option(
    "--match", type=click.Choice([*map(str, Key)]), help="Tell students apart by this alone."
)
@click.option("--overwrite", is_flag=True, help="Replace what is there: files, marks and feedback.")
@click.option("--skip-doubtful", is_flag=True, help="Leave out whose row is in doubt.")
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
    help="Where halves are rounded to. Default: up.",
)
@click.option(
    "--download",
    metavar="ZIP",
    type=click.Path(path_type=Path),
    help="The download of the hand-ins, for the names in it.",
)
@click.option("--partial", is_flag=True, help="Leave out who was not graded.")
def command(run: Path, **asked: Any) -> None:
    """Write the marks of RUN, or its pages, as the platform takes them back.

    Without --into, --feedback or --mail it prints all marks as CSV.
    """
    options = _Options(**asked)
    options.check()
    with Store.reading(run) as store:
        marks = _marks(store, options)
        if options.into is not None:
            _fill(store, marks, options.into, options)
        elif options.feedback == _FOLDER:
            _write_folder(store, marks, options.target(_beside(run, "-feedback")))
        elif options.feedback is not None:
            _write_archive(store, marks, run, Platform(options.feedback), options)
        elif options.mail:
            _write_mails(store, marks, options.target(_beside(run, "-mail")))
        else:
            _list(marks, options)


def _beside(run: Path, ending: str) -> Path:
    """Return what is written beside `run` by default."""
    named = run if run.name not in {"", ".."} else run.resolve()
    return named.with_name(f"{named.name}{ending}")


def _marks(store: Store, options: _Options) -> Sequence[Mark]:
    """Return the marks that were asked for, if the run is fit to give any."""
    entries = of_exercise(store.run.entries, options.exercise)
    exercises = dict.fromkeys(entry.exercise for entry in entries)
    is_of_one = options.into is not None or options.feedback in [*Platform]
    if is_of_one and len(exercises) > 1:
        raise UsageError(
            f"the run has {len(exercises)} exercises",
            help=f"add --exercise NAME: {names(exercises)}",
        )
    marks = [mark for mark in marks_of(store) if mark.exercise in exercises]
    graded = [mark for mark in marks if mark.status is not Status.FAULT]
    have = {(mark.exercise, mark.student) for mark in graded}
    without = [entry.called for entry in entries if entry.name not in have]
    _check_whole(without, partial=options.partial)
    if not graded:
        raise NothingToGrade("nobody in the run has a mark yet")
    _name_undecided(graded)
    unread = [mark.shown for mark in graded if mark.status is Status.UNGRADABLE]
    _list_people("nothing in it can be run, so the mark is 0", unread)
    return graded


def _check_whole(without: Sequence[str], *, partial: bool) -> None:
    if not without:
        return
    if not partial:
        raise UsageError(
            f"{len(without)} of the submissions have no mark: {_named(without)}",
            help="give the command that grades again, or leave these out with --partial",
        )
    warn(f"left out, as they have no mark: {_named(without)}")


def _name_undecided(marks: Iterable[Mark]) -> None:
    waiting = [f"{mark.shown} ({', '.join(mark.undecided)})" for mark in marks if mark.undecided]
    if waiting:
        warn(f"a person still has to decide on rules of {len(waiting)}: {_named(waiting)}")


def _fill(store: Store, marks: Sequence[Mark], into: Path, options: _Options) -> None:
    data = _content(into)
    if options.to is not None and options.to.exists() and options.to.samefile(into):
        raise UsageError("the worksheet itself is never written to", help="name another with --to")
    target = options.target(into.with_name(f"{into.stem}.filled{into.suffix}"))
    briefs: dict[str, str] = {}

    def feedback(mark: Mark) -> str:
        if not briefs:  # records are large, and most worksheets have no room for words
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
            return file.read(MAX_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read {one_line(str(path))}: {error.strerror}") from error


def _tell(done: Filled, marks: Sequence[Mark], options: _Options) -> None:
    """Say what became of each mark."""
    matches, scaling = done.matches, options.scaling
    say(f"{done.dialect}, column {one_line(done.column)}: marks {scaling}")
    if done.maximum is None:
        points = {decimal_text(scaling.mark(each.max_score, each.max_score)) for each in marks}
        warn(f"the worksheet does not say what marks are out of; these are out of {names(points)}")
    elif options.out_of not in {None, done.maximum}:
        warn(f"the platform counts out of {decimal_text(done.maximum)}")
    say(f"{done.written} marks filled, {done.same} were there already")
    if done.sentences or done.said_before:
        say(f"feedback filled for {done.sentences}, kept for {done.said_before}")
    for what, clashes in (("replaced", done.replaced), ("kept, not replaced", done.kept)):
        shown = [f"{c.who} ({c.there}, ours {decimal_text(c.ours)})" for c in clashes]
        _list_people(what, shown)
    other_names = [
        f"{match.shown} (row {match.row + 1}, {match.other_name})"
        for match in matches.found
        if match.other_name is not None
    ]
    by_name = [match.shown for match in matches.found if match.by is Key.NAME]
    loosely = [match.shown for match in matches.found if match.is_loose]
    _list_people("the platform does not let be filled", done.locked)
    _list_people("found by name alone", by_name)
    _list_people("found by an id that has lost its zeros", loosely)
    _list_people(f"the same {options.match}, and another name", other_names)
    _list_people("in doubt, left out", matches.doubtful)
    _list_people("in the run, not in the worksheet", matches.not_there)
    _list_people("in the worksheet, without a mark in the run", matches.without_mark)


def _list_people(what: str, people: Sequence[str]) -> None:
    if people:
        warn(f"{what}: {len(people)}: {_named(people)}")


def _named(people: Sequence[str]) -> str:
    more = len(people) - _MAX_NAMED
    return names(people[:_MAX_NAMED]) + (f" and {more} more" if more > 0 else "")


def _write_archive(
    store: Store, marks: Sequence[Mark], run: Path, platform: Platform, options: _Options
) -> None:
    target = options.target(_beside(run, f"-feedback-{platform}.zip"))
    found = _names(store, platform, options.download)
    left_out: list[str] = []
    count = 0
    with replacing(target) as file, PageArchive(file) as archive:
        for mark, _, record in records_of(store, marks):
            paths, without = paths_for(platform, found, mark)
            left_out += without
            page = student_page(record) if paths else ""
            for path in paths:
                archive.add(path, mark, page)
            count += len(paths)
        if not count:
            raise UsageError(
                f"of nobody it is known what {platform} would call the page",
                help="name its download of the hand-ins with --download, or take --feedback folder",
            )
    _list_people("no page, as the platform's name for it is not known", left_out)
    say(f"{count} pages: {one_line(str(target))}")


def _names(store: Store, platform: Platform, download: Path | None) -> Names | None:
    """Return by which names `platform` knows students: of a `download`, or of what was graded.

    It is None where neither tells, and names can be made.
    """
    if download is not None:
        return Names.of(platform, paths_in(download))
    for source in map(Path, store.run.manner.sources):
        with suppress(UsageError):  # it is gone, or something else by now
            names = Names.of(platform, paths_in(source))
            if names.by_key:
                say(f"names of pages are those in {one_line(str(source))}")
                return names
    if platform in {Platform.CANVAS, Platform.BRIGHTSPACE}:
        raise UsageError(
            f"{platform} takes pages back only under the names in its download of the hand-ins,"
            " and what was graded is no such download, or is gone",
            help="name it with --download, or take --feedback folder or --mail",
        )
    if platform is Platform.MOODLE:
        warn("ids of the run are taken for those of Moodle; --download makes sure of it")
    return None


def _write_folder(store: Store, marks: Sequence[Mark], folder: Path) -> None:
    taken: dict[str, set[str]] = {}
    for mark, entry, record in records_of(store, marks):
        stem = file_stem(mark.shown, taken.setdefault(entry.exercise, set()))
        write_below(folder, f"{entry.exercise}/{stem}.html", student_page(record).encode())
    say(f"{len(marks)} pages: {one_line(str(folder))}")


def _write_mails(store: Store, marks: Sequence[Mark], folder: Path) -> None:
    taken: dict[str, set[str]] = {}
    without: list[str] = []
    count = 0
    for mark, entry, record in records_of(store, marks):
        for who, address in addresses(mark):
            if address is None:
                without.append(who)
                continue
            stem = file_stem(who, taken.setdefault(entry.exercise, set()))
            write_below(folder, f"{entry.exercise}/{stem}.eml", mail(record, address))
            count += 1
    if not count:
        raise UsageError("nobody in the run has a mail address", help="grade with --roster")
    _list_people("no mail address", without)
    say(f"{count} mails, none sent: {one_line(str(folder))}")


def _list(marks: Sequence[Mark], options: _Options) -> None:
    text = listing(marks, options.scaling)
    if options.to is None:
        sys.stdout.write(text)
        return
    target = options.target(options.to)
    write_atomically(target, text.encode())
    say(f"{len(marks)} marks: {one_line(str(target))}")
