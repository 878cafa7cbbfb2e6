"""`grader similarity`: shows hand-ins that are more alike than usual in the class."""

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
from grader.cli.terminal import named, say, warn, warn_of
from grader.errors import UsageError
from grader.plugins.similarity.beside import read_reports
from grader.plugins.similarity.classes import ComparedClass, compared_classes, hand_in_of
from grader.plugins.similarity.comparing import MIN_CLASS, Likeness
from grader.plugins.similarity.fingerprints import sources_of
from grader.plugins.similarity.kept import all_kept, keep
from grader.plugins.similarity.page import (
    PAGE_NAME,
    Codes,
    Earlier,
    shown_pairs,
    similarity_page,
)
from grader.reporting.results import as_json
from grader.reporting.writing import write_atomically
from grader.store.runs import names_apart
from grader.store.store import Store
from grader.values.foreign_text import for_log, one_line

SIMILARITY_SCHEMA: Final = "grader/similarity/1"
_MAX_LISTED: Final = 15
_MAX_IN_JSON: Final = 200


def _day(_context: click.Context, _option: click.Parameter, text: str | None) -> date | None:
    try:
        return None if text is None else date.fromisoformat(text)
    except ValueError as error:
        raise click.BadParameter("write the day as 2027-09-30") from error


@click.command("similarity")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--exercise", metavar="NAME", help="Compare only the hand-ins of this exercise.")
@click.option(
    "--given",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="A file or folder of code that all students were given.",
)
@suites_option
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help=f"Write the page to this file. Default: {PAGE_NAME} in RUN.",
)
@click.option(
    "--keep",
    "kept",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write fingerprints, without code and names, for later years.",
)
@click.option("--until", metavar="DAY", callback=_day, help="When to delete those.")
@click.option(
    "--with",
    "others",
    type=click.Path(path_type=Path, dir_okay=False),
    multiple=True,
    help="Compare with fingerprints of an earlier year.",
)
@click.option(
    "--beside",
    type=click.Path(path_type=Path, exists=True),
    multiple=True,
    help="Show what Dolos or JPlag found, from a report on an export.",
)
@json_option
def command(
    run: Path,
    exercise: str | None,
    given: tuple[Path, ...],
    suites: Path | None,
    out: Path | None,
    kept: Path | None,
    until: date | None,
    others: tuple[Path, ...],
    beside: tuple[Path, ...],
    as_json_: bool,
) -> None:
    """Show the hand-ins of RUN that are more alike than usual in the class.

    It is a signal for a person, and changes no mark: students may have worked together with
    permission. Given code, and code that most of the class has, does not count.
    """
    if until is not None and kept is None:
        raise UsageError("--until needs --keep")
    today = datetime.now(UTC).date()
    with Store.reading(run) as store:
        exercises = dict.fromkeys(
            e.exercise for e in entries_of_exercise(store.run.entries, exercise)
        )
        if (kept is not None or beside) and len(exercises) > 1:
            option = "--beside" if kept is None else "--keep"
            raise UsageError(f"{option} works for one exercise", help="name it with --exercise")
        found = [_beside(e, beside) for e in compared_classes(store, exercises, given, suites)]
        earlier = [_earlier(each, others, today) for each in found]
        codes = [_codes(store, each) for each in found]
        language = store.run.language
    page = similarity_page(list(zip(found, codes, earlier, strict=True)), language)
    target = out or run / PAGE_NAME
    # Code from a notebook may have lone surrogates.
    write_atomically(target, page.encode("utf-8", "replace"))
    if kept is not None:
        (one,) = found
        # Hashes identify submissions without naming anybody.
        hashes = zip(one.submissions, (e.hashes for e in one.fingerprints), strict=True)
        last = keep(kept, one.exercise, hashes, today, until)
        say(f"fingerprints: {one_line(str(kept))}, to be deleted on {last}")
    if as_json_:
        compared = [_as_data(*each) for each in zip(found, earlier, strict=True)]
        document = {"schema": SIMILARITY_SCHEMA, "exercises": compared}
        sys.stdout.write(as_json(document).decode("ascii"))
    else:
        for each, of_earlier in zip(found, earlier, strict=True):
            for line in _lines(each, of_earlier):
                print(for_log(line))
    say(f"page: {one_line(str(target))}")


def _beside(found: ComparedClass, paths: Sequence[Path]) -> ComparedClass:
    """Return the class with the findings of other programs."""
    reports = read_reports(paths, found.entries)
    for each in reports:
        warn_of(f"{each.tool} names hand-ins that are not in this class", each.unknown)
    return replace(found, beside=reports)


def _earlier(found: ComparedClass, paths: Sequence[Path], today: date) -> Earlier:
    programs = []
    for each in all_kept(paths, found.exercise, today):
        if isinstance(each, Path):
            warn(f"{one_line(str(each))} has expired: it was deleted without being read")
        else:
            programs.append(each)
    return found.earlier(programs) if programs else []


def _codes(store: Store, found: ComparedClass) -> Codes:
    """Return the files of the programs that the page shows."""
    lines = {line.entry.name: line for line in store.lines()}
    places = {each for pair in shown_pairs(found) for each in (pair.first, pair.second)}
    return {
        place: sources_of(hand_in_of(store, lines[found.entries[place].name])) for place in places
    }


def _as_data(found: ComparedClass, earlier: Earlier) -> dict[str, Any]:
    """Return what was found as data for `--json`."""
    likeness = found.likeness
    # All outliers, however many.
    count = max(_MAX_IN_JSON, len(likeness.outliers))
    outliers = {id(each) for each in likeness.outliers}
    of_others = found.found_by_others[:_MAX_IN_JSON]
    return {
        "exercise": found.exercise,
        "programs": likeness.count,
        "usual": round(likeness.usual, 3),
        "pairs": [
            {
                **_pair(found, pair),
                "outlier": id(pair) in outliers,
                "words": [[*word] for word, *_ in found.evidence.words(pair)],
                "answers": [each.code for each in found.evidence.answers(pair)],
            }
            # Pairs that another tool reports may be among the first already.
            for pair in dict.fromkeys([*likeness.pairs[:count], *of_others])
        ],
        "groups": [[found.entries[each].student for each in some] for some in likeness.groups],
        "earlier": [
            {
                "student": found.entries[pair.first].student,
                "of": program.label,
                "similarity": round(pair.similarity, 3),
            }
            for pair, program in earlier
        ],
        "unread": [[entry.student, why] for entry, why in found.troubles],
    }


def _pair(found: ComparedClass, pair: Likeness) -> dict[str, Any]:
    return {
        "students": [found.entries[each].student for each in (pair.first, pair.second)],
        "similarity": round(pair.similarity, 3),
        "part": round(pair.part, 3),
        "z": round(found.likeness.z(pair), 2),
        "same_files": found.submissions[pair.first] == found.submissions[pair.second],
        "beside": {
            each.tool: {"similarity": each.of(pair), "outlier": each.stands_out(pair)}
            for each in found.beside
        },
    }


def _lines(found: ComparedClass, earlier: Earlier) -> Iterator[str]:
    """Yield the lines for a terminal: the most similar pairs, with outliers marked."""
    likeness, called = found.likeness, names_apart(found.entries)
    yield f"{found.exercise}: {likeness.count} programs, usually {likeness.usual:.0%} like another"
    if likeness.count < MIN_CLASS:
        yield f"  fewer than {MIN_CLASS}: too few to know what is usual"
    outliers = {id(each) for each in likeness.outliers}
    yield f"  {len(outliers)} pairs stand out: a signal for a person, not a judgement"
    most = max(_MAX_LISTED, min(len(outliers), 2 * _MAX_LISTED))
    of_others = found.found_by_others[:_MAX_LISTED]
    for pair in dict.fromkeys([*likeness.pairs[:most], *of_others]):
        who = [one_line(called[found.entries[each].name], 30) for each in (pair.first, pair.second)]
        same = found.submissions[pair.first] == found.submissions[pair.second]
        signs = ["the same files"] if same else []
        signs += _of_others(found, pair)
        shown = f"{pair.similarity:4.0%} {likeness.z(pair):+5.1f}"
        star = "*" if id(pair) in outliers else " "
        yield f"  {star} {shown}  {who[0]:<30}  {who[1]:<30}  {', '.join(signs)}".rstrip()
    for pair, program in earlier:
        who = [one_line(called[found.entries[pair.first].name], 30)]
        yield f"  * {pair.similarity:4.0%}        {who[0]:<30}  of {program.label}"
    if unread := [called[entry.name] for entry, _ in found.troubles]:
        yield f"  not compared, or only in part: {len(unread)}: {named(unread)}"


def _of_others(found: ComparedClass, pair: Likeness) -> Iterator[str]:
    """Yield the findings of other programs on `pair`."""
    for each in found.beside:
        similarity = each.of(pair)
        yield f"{each.tool} {'says nothing' if similarity is None else format(similarity, '.0%')}"
    if only := found.found_only_by(pair):
        yield f"found by {' and '.join(only)} only"
