"""`grader generate`: makes hidden sessions for an exercise, with answers of its reference."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any, Final

import click

from grader.cli.options import jobs_option, reference_option, suites_option
from grader.cli.progress import RunProgress
from grader.cli.terminal import say
from grader.errors import SuiteError
from grader.plugins.authoring.exercise import Exercise, evaluator_of, find_exercise, mutant_runners
from grader.plugins.authoring.generating.freezing import (
    changed_by_hand,
    content_sha256,
    entries_of,
    hidden_document,
)
from grader.plugins.authoring.generating.generation import (
    GenerationResult,
    complete_and_prove,
    generate,
)
from grader.plugins.authoring.generating.scenes import Generator
from grader.plugins.authoring.schema import HIDDEN_SCHEMA, schema_for
from grader.plugins.authoring.solutions import reference_sha256
from grader.plugins.authoring.suite_text import as_yaml
from grader.reporting.writing import write_atomically
from grader.suite.diagnostics import read_source
from grader.suite.form_errors import validated
from grader.suite.hidden import Hidden, WrittenHidden
from grader.suite.loading import parse_hidden_suite
from grader.suite.model import Generated
from grader.suite.reading import read_document
from grader.values.foreign_text import count_of, one_line

_SEED: Final = "1"
_MAX_MIXED: Final = 8
"""How many clauses with several kinds of cases are listed."""
_DEAR: Final = 0.2
"""The share of the points above which one mistake costs too much."""
_ONE_RELATED_IN: Final = 60
"""One in so many mutants of right solutions is tried, as there are thousands."""


@click.command("generate")
@click.argument("exercise")
@click.option("--seed", help="Seed of the sessions. Default: that of the earlier suite, or 1.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Hidden suite to write. Default: <exercise>.hidden.yaml beside the public one; - for"
    " standard output.",
)
@click.option("--check", is_flag=True, help="Write nothing; fail if the suite is outdated.")
@click.option(
    "--overwrite", is_flag=True, help="Replace generated sessions that were changed by hand."
)
@jobs_option
@suites_option
@reference_option
def command(
    exercise: str,
    seed: str | None,
    out: Path | None,
    check: bool,
    overwrite: bool,
    jobs: int | None,
    suites: Path | None,
    reference: Path | None,
) -> None:
    """Generate the hidden suite of EXERCISE.

    Its generator, `generator.py` beside the reference, makes scenes; the reference gives the
    answers. Cases that a right solution in `correct` fails are dropped. Keep the file to yourself.
    """
    found = find_exercise(exercise, suites, reference)
    target = out or found.hidden
    earlier = _earlier(found.hidden)
    _tell_at_once(found, earlier, target, check=check, overwrite=overwrite)
    generation, text = _generated(found, earlier, target, seed, jobs)
    if str(target) == "-":
        sys.stdout.write(text)
    elif not check:
        write_atomically(target, text.encode())
    elif target.read_text(encoding="utf-8") != text:
        raise _out_of_step(target, found)
    for line in _told(generation):
        say(line)
    say(f"{'unchanged' if check else 'written'}: {one_line(str(target))}")


def _told(done: GenerationResult) -> Iterator[str]:
    """Yield lines for the author on what was generated."""
    yield (
        f"{count_of(done.cases, 'case')} in {count_of(len(done.sessions), 'session')},"
        f" and {count_of(len(done.siblings), 'sibling')}"
    )
    yield (
        f"{done.programs - len(done.survivors)} of {done.programs} wrong programs are told from"
        " the reference"
    )
    alike: dict[tuple[str | None, bool, float, str], list[str]] = {}
    for dispute in done.disputes:
        key = dispute.solution, dispute.is_asked, dispute.share, dispute.clause
        alike.setdefault(key, []).append(dispute.code)
    for (solution, is_asked, share, clause), codes in alike.items():
        if solution is None:
            why = "the reference does not pass it in a session of its own"
        elif share:
            why = f"the right solution {one_line(solution)} needs {share:.0%} of a limit for it"
        else:
            why = f"the right solution {one_line(solution)} does not pass it"
        what = "asked less strictly" if is_asked else "not asked"
        yield (
            f"{what}, as {why}: {len(codes)} of {one_line(clause)}, such as"
            f" {one_line(codes[0], 120)}"
        )
    yield from _prices(done)
    for clause in done.thin:
        yield f"the clause {one_line(clause)} has fewer than two cases"
    for clause in done.unshown:
        yield f"the clause {one_line(clause)} has no sibling"


def _prices(done: GenerationResult) -> Iterator[str]:
    """Yield lines on what mistakes cost, and on costly clauses with several kinds of cases."""
    lost = [
        sum(done.prices.get(clause, 0) for clause in clauses) for clauses in done.broken.values()
    ]
    if lost:
        dear = sum(each > _DEAR for each in lost)
        yield (
            f"a wrong program loses {median(lost):.1%} of the points in the median; {dear} of"
            f" {len(lost)} lose more than {_DEAR:.0%}"
        )
    mixed = {name: done.prices.get(name, 0) for name, count in done.kinds.items() if count > 1}
    dearest = sorted(mixed, key=lambda name: mixed[name], reverse=True)
    for clause in dearest[:_MAX_MIXED]:
        yield (
            f"{done.kinds[clause]} kinds of cases in one clause, {one_line(clause)}: who gets one"
            f" of them wrong loses {mixed[clause]:.1%} of the points"
        )
    if dearest:
        more = f"{len(dearest) - _MAX_MIXED} more such clauses; " * (len(dearest) > _MAX_MIXED)
        yield (
            f"{more}to let each kind earn points by itself, write PlacedClause(..., cut=True), or"
            " a clause for each"
        )


def _tell_at_once(
    exercise: Exercise, earlier: Mapping[str, Any], target: Path, *, check: bool, overwrite: bool
) -> None:
    """Raise `SuiteError` before anything is generated, if edits would be lost or it is outdated."""
    is_in_place = target.resolve() == exercise.hidden.resolve()
    if check:
        if not target.is_file() or (is_in_place and _is_outdated(exercise, earlier)):
            raise _out_of_step(target, exercise)
    elif is_in_place and not overwrite and changed_by_hand(earlier):
        raise SuiteError(
            f"generated sessions in {one_line(str(target))} were changed by hand and would be lost",
            help="change their ids to keep them; then add --overwrite",
        )


def _is_outdated(exercise: Exercise, earlier: Mapping[str, Any]) -> bool:
    """Return whether an `earlier` suite is outdated, as its hashes alone show."""
    match earlier:
        case {"generated": {"reference": reference}}:
            now = reference_sha256(exercise.folder, exercise.suite)
            return reference != now or changed_by_hand(earlier)
        case _:
            return True


def _out_of_step(target: Path, exercise: Exercise) -> SuiteError:
    return SuiteError(
        f"{one_line(str(target))} is not up to date with its generator or its reference",
        help=f"run: grader generate {exercise.suite.exercise}",
    )


def _generated(
    exercise: Exercise,
    earlier: Mapping[str, Any],
    target: Path,
    seed: str | None,
    jobs: int | None,
) -> tuple[GenerationResult, str]:
    """Generate; return the result, and the hidden suite as YAML, proven on the reference."""
    seed = _seed_of(earlier) if seed is None else seed
    programs = exercise.wrong_programs() + exercise.related_programs(_ONE_RELATED_IN)
    with mutant_runners(exercise, jobs) as runner_of:
        with RunProgress(len(programs), "trying wrong programs", "tried") as progress:
            evaluator = evaluator_of(exercise, runner_of, programs, progress.advance)
            generation = generate(evaluator, f"{exercise.suite.exercise}:{seed}")

        def text_of(done: GenerationResult) -> str:
            made = evaluator.generator
            whole = replace(made, clauses={**made.clauses, **done.parts})
            return _text(exercise, whole, seed, done, earlier, target)

        def hidden_of(done: GenerationResult) -> Hidden:
            place = exercise.hidden  # paths in it are relative to this, whatever the target
            return parse_hidden_suite(text_of(done).encode(), str(place), exercise.suite)

        generation = complete_and_prove(generation, evaluator, exercise.suite, hidden_of)
        return generation, text_of(generation)


def _text(
    exercise: Exercise,
    generator: Generator,
    seed: str,
    done: GenerationResult,
    earlier: Mapping[str, Any],
    target: Path,
) -> str:
    """Return the hidden suite of a generation as YAML."""
    entries = entries_of(done.sessions, done.siblings)
    generated = Generated(  # an invalid seed is reported for the whole file
        version=generator.version,
        seed=seed,
        reference=reference_sha256(exercise.folder, exercise.suite),
        content=content_sha256(entries),
    )
    name = exercise.suite.exercise
    document = hidden_document(name, generated, generator, entries, earlier)
    place = exercise.hidden if str(target) == "-" else target
    schema = schema_for(place.parent, HIDDEN_SCHEMA)
    return as_yaml(
        document, schema=schema, origin=f"Made by `grader generate {name}`: not for students."
    )


def _earlier(path: Path) -> Mapping[str, Any]:
    """Return the hidden suite at `path` as plain data, empty if there is none.

    It is not checked against the public suite, as it may be generated again because they differ.
    Raises `InvalidSuite` for mistakes in the file itself.
    """
    if not path.is_file():
        return {}
    document = read_document(read_source(path.read_bytes(), str(path)))
    validated(document, WrittenHidden)
    data: Mapping[str, Any] = document.data
    return data


def _seed_of(earlier: Mapping[str, Any]) -> str:
    """Return the seed of an earlier hidden suite."""
    match earlier:
        case {"generated": {"seed": str(seed)}}:
            return seed
        case _:
            return _SEED
