"""`grader similarity`: shows hand-ins that are more similar than usual in the class."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, Final

import click

from grader.cli.existing_runs import entries_of_exercise
from grader.cli.options import json_option, suites_option
from grader.cli.terminal import join_names, join_people, say, warn, warn_about
from grader.errors import UsageError
from grader.plugins.similarity.classes import ComparedClass, compare_classes, hand_in_of
from grader.plugins.similarity.comparing import MIN_CLASS, Likeness
from grader.plugins.similarity.fingerprint_files import keep, read_all_kept
from grader.plugins.similarity.fingerprints import sources_of
from grader.plugins.similarity.other_reports import read_reports
from grader.plugins.similarity.page import (
    PAGE_NAME,
    Codes,
    Earlier,
    shown_pairs,
    similarity_page,
)
from grader.reporting.results import as_json
from grader.reporting.writing import write_atomically
from grader.store.runs import distinct_names
from grader.store.store import Store
from grader.values.foreign_text import log_safe, one_line

SIMILARITY_SCHEMA: Final = "grader/similarity/1"
_MAX_LISTED: Final = 15
_MAX_IN_JSON: Final = 200


def _parse_day(_context: click.Context, _option: click.Parameter, text: str | None) -> date | None:
    """Return the day in the value of an option. Raises `BadParameter` if it is not a date."""
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise click.BadParameter(
            f"{one_line(text or '')!r} is not a day: write it in the form 2027-09-30"
        ) from error


@click.command("similarity")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--exercise", metavar="NAME", help="Compare only the hand-ins of this exercise.")
@click.option(
    "--given",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="A file or folder of code that was given to all students.",
)
@suites_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"Write the page to this file. Default: {PAGE_NAME} in RUN.",
)
@click.option(
    "--keep",
    "fingerprints_path",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write fingerprints, without code or names, to this file for later years.",
)
@click.option(
    "--until",
    metavar="DAY",
    callback=_parse_day,
    help="The day on which the fingerprints must be deleted.",
)
@click.option(
    "--with",
    "earlier_paths",
    type=click.Path(path_type=Path, dir_okay=False),
    multiple=True,
    help="A fingerprint file from an earlier year to compare with.",
)
@click.option(
    "--beside",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="A Dolos or JPlag report on the exported files, to show beside our results.",
)
@json_option
def command(
    run: Path,
    exercise: str | None,
    given: tuple[Path, ...],
    suites: Path | None,
    out: Path | None,
    fingerprints_path: Path | None,
    until: date | None,
    earlier_paths: tuple[Path, ...],
    beside: tuple[Path, ...],
    as_json_: bool,
) -> None:
    """Show the hand-ins of RUN that are more similar than usual in the class.

    The result is a signal for a person, and changes no mark: students might have worked together
    with permission. Given code, and code that most of the class has, does not count.
    """
    if until is not None and fingerprints_path is None:
        raise UsageError(
            "--until needs --keep", help="name the file for the fingerprints with --keep"
        )
    today = datetime.now(UTC).date()
    with Store.reading(run) as store:
        single_option = (
            "--keep" if fingerprints_path is not None else "--beside" if beside else None
        )
        exercises = _exercise_names(store, exercise, single_option)
        classes = [
            _add_reports(compared, beside)
            for compared in compare_classes(store, exercises, given, suites)
        ]
        earlier = [_find_earlier(compared, earlier_paths, today) for compared in classes]
        codes = [_read_codes(store, compared) for compared in classes]
        language = store.run.language
    page = similarity_page(list(zip(classes, codes, earlier, strict=True)), language)
    target = out or run / PAGE_NAME
    # Code from a notebook can contain lone surrogates, which UTF-8 cannot encode.
    write_atomically(target, page.encode("utf-8", "replace"))
    if fingerprints_path is not None:
        (compared,) = classes
        _keep_fingerprints(compared, fingerprints_path, today, until)
    if as_json_:
        exercises_data = [_as_data(*pair) for pair in zip(classes, earlier, strict=True)]
        document = {"schema": SIMILARITY_SCHEMA, "exercises": exercises_data}
        sys.stdout.write(as_json(document).decode("ascii"))
    else:
        for compared, earlier_pairs in zip(classes, earlier, strict=True):
            for line in _terminal_lines(compared, earlier_pairs):
                print(log_safe(line))
    say(f"page: {one_line(str(target))}")


def _exercise_names(
    store: Store, exercise: str | None, single_option: str | None
) -> dict[str, None]:
    """Return the names of the exercises to compare, as keys: `exercise`, or all in the run.

    Raises `UsageError` if there are several and `single_option`, which allows only one, is given.
    """
    entries = entries_of_exercise(store.run.entries, exercise)
    names = dict.fromkeys(entry.exercise for entry in entries)
    if single_option is not None and len(names) > 1:
        raise UsageError(
            f"{single_option} works for only one exercise, and this run has {len(names)}",
            help=f"choose one with --exercise: {join_names(names)}",
        )
    return names


def _keep_fingerprints(
    compared: ComparedClass, path: Path, today: date, until: date | None
) -> None:
    """Write the fingerprints of `compared` to `path`, and print when they must be deleted."""
    # Hashes identify submissions without containing names.
    hashes = (fingerprint.hashes for fingerprint in compared.fingerprints)
    programs = zip(compared.file_hashes, hashes, strict=True)
    deletion_day = keep(path, compared.exercise, programs, today, until)
    say(f"fingerprints: {one_line(str(path))}, to be deleted on {deletion_day}")


def _add_reports(compared: ComparedClass, paths: Sequence[Path]) -> ComparedClass:
    """Return `compared` with the reports of other checkers at `paths` added.

    Print a warning about hand-ins in a report that are not in the class. Raises `UsageError`
    if a file is not a report on this class.
    """
    reports = read_reports(paths, compared.entries)
    for report in reports:
        warn_about(f"{report.tool} names hand-ins that are not in this class", report.unknown_names)
    return replace(compared, other_reports=reports)


def _find_earlier(compared: ComparedClass, paths: Sequence[Path], today: date) -> Earlier:
    """Return the outliers that pair a program with one of an earlier class.

    The earlier programs are read from the files at `paths`. Expired files are deleted, with a
    warning. Raises `UsageError` if a file cannot be read or does not contain fingerprints.
    """
    programs = []
    for program_or_path in read_all_kept(paths, compared.exercise, today):
        if isinstance(program_or_path, Path):
            warn(f"the file {one_line(str(program_or_path))} had expired, so it was deleted unread")
        else:
            programs.append(program_or_path)
    return compared.outliers_with_earlier(programs) if programs else []


def _read_codes(store: Store, compared: ComparedClass) -> Codes:
    """Return the files of the programs that the page shows side by side."""
    graded_entries = {graded.entry.identity: graded for graded in store.graded_entries()}
    indexes = {index for pair in shown_pairs(compared) for index in (pair.first, pair.second)}
    return {
        index: sources_of(hand_in_of(store, graded_entries[compared.entries[index].identity]))
        for index in indexes
    }


def _as_data(compared: ComparedClass, earlier: Earlier) -> dict[str, Any]:
    """Return the results for one exercise as data for `--json`."""
    likeness = compared.likeness
    # All outliers are included, even if there are many.
    max_pairs = max(_MAX_IN_JSON, len(likeness.outliers))
    # By identity, as `likeness` keeps the pairs alive.
    outliers = {id(pair) for pair in likeness.outliers}
    other_outliers = compared.outliers_elsewhere[:_MAX_IN_JSON]
    return {
        "exercise": compared.exercise,
        "programs": likeness.count,
        "usual": round(likeness.usual, 3),
        "pairs": [
            {
                **_pair_data(compared, pair),
                "outlier": id(pair) in outliers,
                "words": [[*word] for word, *_ in compared.evidence.words(pair)],
                "answers": [failure.code for failure in compared.evidence.answers(pair)],
            }
            # Without duplicates, as outliers of other checkers can be among the first pairs.
            for pair in dict.fromkeys([*likeness.pairs[:max_pairs], *other_outliers])
        ],
        "groups": [
            [compared.entries[index].student for index in group] for group in likeness.groups
        ],
        "earlier": [
            {
                "student": compared.entries[pair.first].student,
                "of": program.label,
                "similarity": round(pair.similarity, 3),
            }
            for pair, program in earlier
        ],
        "unread": [[entry.student, reason] for entry, reason in compared.problems],
    }


def _pair_data(compared: ComparedClass, pair: Likeness) -> dict[str, Any]:
    """Return the students and the similarities of `pair` as data for `--json`."""
    return {
        "students": [compared.entries[index].student for index in (pair.first, pair.second)],
        "similarity": round(pair.similarity, 3),
        "part": round(pair.part, 3),
        "z": round(compared.likeness.z(pair), 2),
        "same_files": compared.file_hashes[pair.first] == compared.file_hashes[pair.second],
        "beside": {
            report.tool: {
                "similarity": report.similarity_of(pair),
                "outlier": report.is_outlier(pair),
            }
            for report in compared.other_reports
        },
    }


def _terminal_lines(compared: ComparedClass, earlier: Earlier) -> Iterator[str]:
    """Yield the lines for a terminal, which show the most similar pairs and mark outliers."""
    likeness, labels = compared.likeness, distinct_names(compared.entries)
    yield (
        f"{compared.exercise}: {likeness.count} programs,"
        f" usual similarity to the nearest one {likeness.usual:.0%}"
    )
    if likeness.count < MIN_CLASS:
        yield f"  fewer than {MIN_CLASS} programs are too few to estimate the usual similarity"
    outliers = {id(pair) for pair in likeness.outliers}
    stand_out = "1 pair stands out" if len(outliers) == 1 else f"{len(outliers)} pairs stand out"
    yield f"  {stand_out}: a signal for a person, not a judgement"
    max_pairs = max(_MAX_LISTED, min(len(outliers), 2 * _MAX_LISTED))
    other_outliers = compared.outliers_elsewhere[:_MAX_LISTED]
    for pair in dict.fromkeys([*likeness.pairs[:max_pairs], *other_outliers]):
        names = [
            one_line(labels[compared.entries[index].identity], 30)
            for index in (pair.first, pair.second)
        ]
        is_same = compared.file_hashes[pair.first] == compared.file_hashes[pair.second]
        remarks = ["the same files"] if is_same else []
        remarks += _other_results(compared, pair)
        numbers = f"{pair.similarity:4.0%} {likeness.z(pair):+5.1f}"
        star = "*" if id(pair) in outliers else " "
        yield f"  {star} {numbers}  {names[0]:<30}  {names[1]:<30}  {', '.join(remarks)}".rstrip()
    for pair, program in earlier:
        name = one_line(labels[compared.entries[pair.first].identity], 30)
        yield f"  * {pair.similarity:4.0%}        {name:<30}  {program.label}"
    if unread := [labels[entry.identity] for entry, _ in compared.problems]:
        yield f"  not compared, or only partly: {len(unread)}: {join_people(unread)}"


def _other_results(compared: ComparedClass, pair: Likeness) -> Iterator[str]:
    """Yield the similarity of `pair` in each report, and a note if only other checkers found it."""
    for report in compared.other_reports:
        similarity = report.similarity_of(pair)
        result = "does not list it" if similarity is None else format(similarity, ".0%")
        yield f"{report.tool} {result}"
    if only := compared.disagreeing_checkers(pair):
        yield f"found by {' and '.join(only)} only"
