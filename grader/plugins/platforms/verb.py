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
from grader.cli.terminal import join_names, join_people, say, warn, warn_about
from grader.errors import NothingToGrade, UsageError
from grader.intake.roster import Key
from grader.plugins.platforms.gradebooks.delimited import decimal_text
from grader.plugins.platforms.gradebooks.filling import FillOptions, FillResult, fill
from grader.plugins.platforms.gradebooks.listing import marks_as_csv
from grader.plugins.platforms.gradebooks.marks import Mark, marks_of, records_of
from grader.plugins.platforms.gradebooks.scaling import Scaling, parse_number
from grader.plugins.platforms.gradebooks.worksheets import read_worksheet
from grader.plugins.platforms.pages import write_archive, write_folder, write_mails
from grader.reporting.brief import summarise_result
from grader.reporting.writing import is_special, write_atomically
from grader.seams import EXTRAS, PLATFORMS
from grader.store.runs import distinct_names
from grader.store.store import STORE_NAME, Store
from grader.values.foreign_text import count_noun, one_line
from grader.verdict import Status

_FOLDER: Final = "folder"
_MAX_AMOUNT: Final = 100_000


def _platforms_with_pages() -> list[str]:
    """Return the names of the built-in platforms that can import pages."""
    return [platform.name for platform in PLATFORMS.load_installed() if platform.pages is not None]


def _parse_amount(
    _context: click.Context, _option: click.Parameter, text: str | None
) -> Decimal | None:
    """Parse the number in `text` exactly; it can have a decimal point or comma.

    Raises `click.BadParameter` if it is not a number from the allowed range.
    """
    if text is None:
        return None
    amount = parse_number(text)
    if amount is None or not 0 < amount <= _MAX_AMOUNT:
        raise click.BadParameter(
            f"{one_line(text)!r}: it must be a number above 0 and at most {_MAX_AMOUNT}"
        )
    return amount


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
        """Return the path to write: --to, or else `default`.

        Raises `UsageError` if the path is part of a run, or exists and must not be overwritten.
        """
        path = self.to or default
        if path.name == STORE_NAME or os.path.isfile(path / STORE_NAME):
            raise UsageError(
                f"{one_line(str(path))} belongs to a run, which must not be overwritten",
                help="choose another path with --to",
            )
        # Writing to a device or a pipe, such as `/dev/stdout`, replaces nothing.
        exists = os.path.lexists(path) and not is_special(path)  # a broken link exists too
        if exists and not self.overwrite and not _is_empty_folder(path):
            raise UsageError(
                f"{one_line(str(path))} already exists",
                help="choose another path with --to, or replace it with --overwrite",
            )
        return path

    @property
    def scaling(self) -> Scaling:
        """How points are turned into marks."""
        return Scaling(out_of=self.out_of, step=self.step, half_even=self.half == "even")

    def check(self) -> None:
        """Raise `UsageError` if options cannot be combined, or have no effect."""
        outputs = self._given("into", "feedback", "mail", "sources")
        if len(outputs) > 1:
            raise UsageError(
                f"{' and '.join(outputs)} cannot be combined",
                help="run the command once for each of them",
            )
        if self.suites is not None and self.sources is None:
            raise UsageError(
                "--suites has no effect without --sources", help="add --sources, or omit --suites"
            )
        needing_worksheet = self._given("column", "match", "skip_doubtful")
        if needing_worksheet and self.into is None:
            raise UsageError(
                f"there is no worksheet for {' and '.join(needing_worksheet)}",
                help="pass the worksheet with --into",
            )
        writes = self.into or self.feedback or self.mail or self.sources or self.to
        if self.overwrite and not writes:
            raise UsageError(
                "--overwrite has no effect, because no file is written",
                help="add --to, or leave out --overwrite",
            )
        if self.download is not None and self.feedback in {None, _FOLDER}:
            raise UsageError(
                "--download has no effect "
                + ("with --feedback folder" if self.feedback else "without --feedback"),
                help="name a platform with --feedback, or omit --download",
            )

    def _given(self, *names: str) -> list[str]:
        """Return those options of the fields `names` that are given."""
        given = [name for name in names if getattr(self, name) not in {None, False}]
        return [f"--{name.replace('_', '-')}" for name in given]


@click.command("export")
@click.argument("run", type=click.Path(path_type=Path))
@click.option(
    "--into",
    metavar="WORKSHEET",
    type=click.Path(path_type=Path),
    help="Fill in a copy of this gradebook.",
)
@click.option(
    "--feedback",
    type=SeamChoice([*_platforms_with_pages(), _FOLDER], PLATFORMS),
    help="Write the zip of pages for this platform, or a folder of pages.",
)
@click.option(
    "--mail", is_flag=True, help="Write an email file for each student, without sending it."
)
@click.option("--to", type=click.Path(path_type=Path), help="File or folder to write.")
@click.option("--exercise", metavar="NAME", help="The exercise, if the run has several.")
@click.option("--column", metavar="NAME", help="The header of the column for the marks.")
@click.option(
    "--match", type=click.Choice([*map(str, Key)]), help="Match students only by this key."
)
@click.option("--overwrite", is_flag=True, help="Replace existing files, marks and feedback.")
@click.option("--skip-doubtful", is_flag=True, help="Leave out students whose row is in doubt.")
@click.option(
    "--out-of", metavar="NUMBER", callback=_parse_amount, help="Scale marks to this maximum."
)
@click.option(
    "--round",
    "step",
    metavar="NUMBER",
    callback=_parse_amount,
    default="0.01",
    help="Round marks to multiples of this. Default: 0.01.",
)
@click.option(
    "--half",
    type=click.Choice(["up", "even"]),
    default="up",
    help="How halves are rounded. Default: up.",
)
@click.option(
    "--download",
    metavar="ZIP",
    type=click.Path(path_type=Path),
    help="The platform's download of the hand-ins, for its names.",
)
@click.option(
    "--sources",
    type=click.Choice(["dolos", "jplag", "folder"]),
    help="Write the hand-ins' files for a plagiarism checker.",
)
@suites_option
@click.option("--partial", is_flag=True, help="Leave out students without a mark.")
def command(run: Path, **option_values: Any) -> None:
    """Write the marks or pages of RUN for the platform.

    Without --into, --feedback, --mail or --sources it prints all marks as CSV.
    """
    options = _Options(**option_values)
    options.check()
    with Store.reading(run) as store:
        if options.sources is not None:
            _write_sources(
                store, options.sources, options.target(_default_target(run, "-sources")), options
            )
            return
        marks = _collect_marks(store, options)
        if options.into is not None:
            _fill(store, marks, options.into, options)
        elif options.feedback == _FOLDER:
            write_folder(store, marks, options.target(_default_target(run, "-feedback")))
        elif options.feedback is not None:
            target = options.target(_default_target(run, f"-feedback-{options.feedback}.zip"))
            platform = PLATFORMS.load(options.feedback)
            write_archive(store, marks, platform, target, options.download)
        elif options.mail:
            write_mails(store, marks, options.target(_default_target(run, "-mail")))
        else:
            _print_marks(marks, options)


def _write_sources(store: Store, layout: str, target: Path, options: _Options) -> None:
    write_sources = EXTRAS.load("--sources")
    entries = entries_of_exercise(store.run.entries, options.exercise)
    _require_single_exercise({entry.exercise: None for entry in entries})
    count = write_sources(store, entries, layout, target, options.suites)
    say(f"files of {count_noun(count, 'hand-in')}: {one_line(str(target))}")


def _require_single_exercise(exercises: Mapping[str, None]) -> None:
    if len(exercises) > 1:
        raise UsageError(
            f"the run has {len(exercises)} exercises, and this output is for only one",
            help=f"add --exercise NAME: {join_names(exercises)}",
        )


def _is_empty_folder(path: Path) -> bool:
    with suppress(OSError):  # not a folder, or not readable
        return not os.listdir(path)
    return False


def _default_target(run: Path, ending: str) -> Path:
    """Return the default path to write: beside `run`, with `ending` added to its name."""
    # `.` and `..` have no name of their own to extend.
    folder = run if run.name not in {"", ".."} else run.resolve()
    return folder.with_name(f"{folder.name}{ending}")


def _collect_marks(store: Store, options: _Options) -> Sequence[Mark]:
    """Return the requested marks; warn of those that are undecided, or 0 as nothing can be run.

    Raises `UsageError` if marks are missing without --partial, or if the output is for one exercise
    and the run has several. Raises `NothingToGrade` if there are no marks.
    """
    entries = entries_of_exercise(store.run.entries, options.exercise)
    exercises = dict.fromkeys(entry.exercise for entry in entries)
    # A worksheet or a platform's zip is for a single exercise.
    is_single = options.into is not None or options.feedback not in {None, _FOLDER}
    if is_single:
        _require_single_exercise(exercises)
    marks = [mark for mark in marks_of(store) if mark.exercise in exercises]
    graded = [mark for mark in marks if mark.status is not Status.FAULT]
    graded_names = {(mark.exercise, mark.student) for mark in graded}
    unique_names = distinct_names(store.run.entries)
    students_without_mark = [
        unique_names[entry.identity] for entry in entries if entry.identity not in graded_names
    ]
    _check_complete(students_without_mark, partial=options.partial)
    if not graded:
        raise NothingToGrade(
            "nobody in the run has a mark yet", help="repeat the command that graded the run"
        )
    _warn_of_undecided(graded)
    ungradable = [mark.display_name for mark in graded if mark.is_lost]
    warn_about("nothing in the hand-in can be run, so the mark is 0", ungradable)
    return graded


def _check_complete(students_without_mark: Sequence[str], *, partial: bool) -> None:
    """Raise `UsageError` if there are students without a mark, or only warn if `partial`."""
    if not students_without_mark:
        return
    if not partial:
        raise UsageError(
            f"{count_noun(len(students_without_mark), 'submission')} without a mark:"
            f" {join_people(students_without_mark)}",
            help="repeat the command that graded the run, or leave these out with --partial",
        )
    warn(f"left out, because they have no mark: {join_people(students_without_mark)}")


def _warn_of_undecided(marks: Iterable[Mark]) -> None:
    undecided = [
        f"{mark.display_name} ({', '.join(mark.undecided)})" for mark in marks if mark.undecided
    ]
    if undecided:
        count = count_noun(len(undecided), "submission")
        warn(
            f"a person must still decide on rules for {count}: {join_people(undecided)}\n"
            "  = help: decide with `grader mark`, and then repeat this command"
        )


def _fill(store: Store, marks: Sequence[Mark], worksheet: Path, options: _Options) -> None:
    """Write a copy of `worksheet` with `marks` filled in, and report the result.

    Raises `UsageError` if the worksheet cannot be read, or if the copy must not be written.
    """
    data = read_worksheet(worksheet)
    # Compare the files, because another path or a link might lead to the worksheet.
    if options.to is not None and options.to.exists() and options.to.samefile(worksheet):
        raise UsageError(
            f"--to is the worksheet {one_line(str(worksheet))} itself, which is never changed",
            help="choose another path with --to",
        )
    target = options.target(worksheet.with_name(f"{worksheet.stem}.filled{worksheet.suffix}"))
    summaries: dict[str, str] = {}

    def feedback(mark: Mark) -> str:
        # Read records only when feedback is needed: that is slow, and most worksheets have no
        # feedback column.
        if not summaries:
            records = records_of(store, marks)
            summaries.update(
                (mark.student, summarise_result(record)) for mark, _, record in records
            )
        return summaries[mark.student]

    fill_options = FillOptions(
        scaling=options.scaling,
        column=options.column,
        key=None if options.match is None else Key(options.match),
        overwrite=options.overwrite,
        skips_doubtful=options.skip_doubtful,
    )
    result = fill(data, marks, feedback, fill_options)
    write_atomically(target, result.data)
    _report(result, marks, options)
    say(f"worksheet: {one_line(str(target))}")


def _report(result: FillResult, marks: Sequence[Mark], options: _Options) -> None:
    """Report what happened to each mark."""
    matches, scaling = result.matches, options.scaling
    say(f"{result.dialect}, column {one_line(result.column)}: marks {scaling}")
    if result.maximum is None:
        points = {decimal_text(scaling.mark(mark.max_score, mark.max_score)) for mark in marks}
        warn(
            "the worksheet does not contain a maximum;"
            f" these marks are out of {join_names(points)}; for another maximum, use --out-of"
        )
    elif options.out_of is not None and options.out_of != result.maximum:
        maximum = decimal_text(result.maximum)
        warn(
            f"marks on the platform are out of {maximum},"
            f" but --out-of is {decimal_text(options.out_of)}; for the same maximum,"
            f" use --out-of {maximum}"
        )
    say(f"{count_noun(result.written, 'mark')} filled in, {result.same} already there")
    if result.feedback_written or result.feedback_kept:
        say(f"feedback filled in for {result.feedback_written}, kept for {result.feedback_kept}")
    for label, clashes in (("replaced", result.replaced), ("kept, not replaced", result.kept)):
        clash_texts = [
            f"{clash.student} ({clash.current_mark}, in the run {decimal_text(clash.run_mark)})"
            for clash in clashes
        ]
        warn_about(label, clash_texts)
    other_names = [
        f"{match.student_name} (row {match.row + 1}, {match.other_name})"
        for match in matches.found
        if match.other_name is not None
    ]
    by_name = [match.student_name for match in matches.found if match.by is Key.NAME]
    without_zeros = [match.student_name for match in matches.found if match.is_loose]
    warn_about("locked in the worksheet, not filled in", result.locked)
    warn_about("matched by name only", by_name)
    warn_about("matched by id, ignoring leading zeros", without_zeros)
    warn_about(f"same {options.match}, but another name", other_names)
    warn_about("left out, because the match is doubtful", matches.doubtful)
    warn_about("in the run, not in the worksheet", matches.without_row)
    warn_about("in the worksheet, without a mark in the run", matches.without_mark)


def _print_marks(marks: Sequence[Mark], options: _Options) -> None:
    """Print `marks` as CSV, or write the CSV to --to."""
    text = marks_as_csv(marks, options.scaling)
    if options.to is None:
        sys.stdout.write(text)
        return
    target = options.target(options.to)
    write_atomically(target, text.encode())
    say(f"{count_noun(len(marks), 'mark')}: {one_line(str(target))}")
