"""`grader generate`: makes hidden sessions for an exercise, with answers from its reference."""

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
from grader.plugins.authoring.exercise import (
    Exercise,
    create_evaluator,
    find_exercise,
    mutant_runners,
)
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
from grader.plugins.authoring.schema import HIDDEN_SCHEMA, schema_path
from grader.plugins.authoring.solutions import reference_sha256
from grader.plugins.authoring.suite_text import as_yaml
from grader.reporting.writing import write_atomically
from grader.suite.diagnostics import read_source
from grader.suite.form_errors import validate_document
from grader.suite.hidden import Hidden, WrittenHidden
from grader.suite.loading import parse_hidden_suite
from grader.suite.model import Generated
from grader.suite.reading import read_document
from grader.values.foreign_text import count_noun, one_line

_DEFAULT_SEED: Final = "1"
_MAX_LISTED_CLAUSES: Final = 8
"""The number of clauses with several kinds of cases that are listed at most."""
_HIGH_COST: Final = 0.2
"""The share of the points above which a single mistake costs too much."""
_RELATED_INTERVAL: Final = 60
"""One out of this many mutants of right solutions is run, because there are thousands."""


@click.command("generate")
@click.argument("exercise")
@click.option(
    "--seed", help="Random seed of the sessions. Default: the seed of the earlier suite, or 1."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Hidden suite to write; - for standard output. Default: <exercise>.hidden.yaml beside the"
    " public suite.",
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

    The generator, `generator.py` beside the reference, draws scenes, and the reference gives the
    answers. Cases that a right solution in `correct` fails are dropped. Do not publish the result.
    """
    target_exercise = find_exercise(exercise, suites, reference)
    target = out or target_exercise.hidden_path
    earlier = _read_earlier(target_exercise.hidden_path)
    _check_beforehand(target_exercise, earlier, target, check=check, overwrite=overwrite)
    generation, text = _generate_suite(target_exercise, earlier, target, seed, jobs)
    if str(target) == "-":
        sys.stdout.write(text)
    elif not check:
        write_atomically(target, text.encode())
    elif target.read_text(encoding="utf-8", errors="surrogateescape") != text:
        raise _outdated_error(target, target_exercise)
    for line in _summary_lines(generation):
        say(line)
    say(f"{'unchanged' if check else 'written'}: {one_line(str(target))}")


def _summary_lines(result: GenerationResult) -> Iterator[str]:
    """Yield lines that summarize the generated suite for its author."""
    yield (
        f"{count_noun(result.case_count, 'case')} in {count_noun(len(result.sessions), 'session')},"
        f" and {count_noun(len(result.siblings), 'sibling')}"
    )
    killed_count = result.program_count - len(result.survivors)
    yield f"{killed_count} of {result.program_count} wrong programs fail"
    codes_by_key: dict[tuple[str | None, bool, float, str], list[str]] = {}
    for dispute in result.disputes:
        key = dispute.solution, dispute.is_kept, dispute.share, dispute.clause
        codes_by_key.setdefault(key, []).append(dispute.code)
    for (solution, is_kept, share, clause), codes in codes_by_key.items():
        if solution is None:
            reason = "the reference fails it in its own session"
        elif share:
            reason = f"the right solution {one_line(solution)} uses {share:.0%} of a limit for it"
        else:
            reason = f"the right solution {one_line(solution)} fails it"
        treatment = "compared less strictly" if is_kept else "dropped"
        yield (
            f"{treatment}, because {reason}: {len(codes)} of {one_line(clause)}, such as"
            f" {one_line(codes[0], 120)}"
        )
    yield from _cost_lines(result)
    for clause in result.thin_clauses:
        yield f"the clause {one_line(clause)} has fewer than two cases"
    for clause in result.clauses_without_sibling:
        yield f"the clause {one_line(clause)} has no sibling"


def _cost_lines(result: GenerationResult) -> Iterator[str]:
    """Yield lines about the points that mistakes cost.

    They list the costliest clauses with several kinds of cases.
    """
    losses = [
        sum(result.prices.get(clause, 0) for clause in clauses)
        for clauses in result.broken.values()
    ]
    if losses:
        costly_count = sum(loss > _HIGH_COST for loss in losses)
        yield (
            f"the median wrong program loses {median(losses):.1%} of the points; {costly_count} of"
            f" {len(losses)} lose more than {_HIGH_COST:.0%}"
        )
    cost_by_clause = {
        name: result.prices.get(name, 0) for name, count in result.kinds.items() if count > 1
    }
    costliest = sorted(cost_by_clause, key=lambda name: cost_by_clause[name], reverse=True)
    for clause in costliest[:_MAX_LISTED_CLAUSES]:
        yield (
            f"the clause {one_line(clause)} has {result.kinds[clause]} kinds of cases: getting one"
            f" of them wrong costs {cost_by_clause[clause]:.1%} of the points"
        )
    if costliest:
        more_count = len(costliest) - _MAX_LISTED_CLAUSES
        more = f"{more_count} more such clauses; " if more_count > 0 else ""
        yield (
            f"{more}to let each kind earn points separately, write PlacedClause(..., cut=True), or"
            " a clause for each kind"
        )


def _check_beforehand(
    exercise: Exercise, earlier: Mapping[str, Any], target: Path, *, check: bool, overwrite: bool
) -> None:
    """Raise `SuiteError` for problems that can be detected before anything is generated.

    With `check`, the problem is a missing or outdated suite. Otherwise, the problem is that
    changes by the author would be lost.
    """
    is_in_place = target.resolve() == exercise.hidden_path.resolve()
    if check:
        if not target.is_file() or (is_in_place and _is_outdated(exercise, earlier)):
            raise _outdated_error(target, exercise)
    elif is_in_place and not overwrite and changed_by_hand(earlier):
        raise SuiteError(
            f"generated sessions in {one_line(str(target))} were changed by hand and would be lost",
            help="to keep them, change their ids; then run the command with --overwrite",
        )


def _is_outdated(exercise: Exercise, earlier: Mapping[str, Any]) -> bool:
    """Return whether an `earlier` suite is outdated, judging by its hashes alone."""
    match earlier:
        case {"generated": {"reference": reference}}:
            current_reference = reference_sha256(exercise.folder, exercise.suite)
            return reference != current_reference or changed_by_hand(earlier)
        case _:
            return True


def _outdated_error(target: Path, exercise: Exercise) -> SuiteError:
    """Return the error for a hidden suite that is not up to date."""
    return SuiteError(
        f"{one_line(str(target))} is not up to date with the generator or the reference",
        help=f"run: grader generate {exercise.suite.exercise}",
    )


def _generate_suite(
    exercise: Exercise,
    earlier: Mapping[str, Any],
    target: Path,
    seed: str | None,
    jobs: int | None,
) -> tuple[GenerationResult, str]:
    """Generate the hidden suite and prove it on the reference.

    Return the result and the text of the suite file. The defaults for `seed` and `jobs` are the
    seed of the `earlier` suite and one job per core.
    """
    seed = _earlier_seed(earlier) if seed is None else seed
    programs = exercise.wrong_programs() + exercise.related_programs(_RELATED_INTERVAL)
    with mutant_runners(exercise, jobs) as runner_of:
        with RunProgress(len(programs), "trying wrong programs", "tried") as progress:
            evaluator = create_evaluator(exercise, runner_of, programs, progress.advance)
            generation = generate(evaluator, f"{exercise.suite.exercise}:{seed}")

        def render_suite(result: GenerationResult) -> str:
            generator = evaluator.generator
            generator = replace(generator, clauses={**generator.clauses, **result.parts})
            return _suite_text(exercise, generator, seed, result, earlier, target)

        def parse_suite(result: GenerationResult) -> Hidden:
            # Paths in the suite are relative to this path, not to the target.
            path = exercise.hidden_path
            return parse_hidden_suite(render_suite(result).encode(), str(path), exercise.suite)

        generation = complete_and_prove(generation, evaluator, exercise.suite, parse_suite)
        return generation, render_suite(generation)


def _suite_text(
    exercise: Exercise,
    generator: Generator,
    seed: str,
    result: GenerationResult,
    earlier: Mapping[str, Any],
    target: Path,
) -> str:
    """Return the hidden suite of `result` as YAML."""
    entries = entries_of(result.sessions, result.siblings)
    generated = Generated(  # an invalid seed is reported when the whole file is parsed
        version=generator.version,
        seed=seed,
        reference=reference_sha256(exercise.folder, exercise.suite),
        content=content_sha256(entries),
    )
    name = exercise.suite.exercise
    document = hidden_document(name, generated, generator, entries, earlier)
    # Standard output has no folder, so the path of the schema fits the usual place.
    path = exercise.hidden_path if str(target) == "-" else target
    schema = schema_path(path.parent, HIDDEN_SCHEMA)
    return as_yaml(
        document, schema=schema, origin=f"Made by `grader generate {name}`: not for students."
    )


def _read_earlier(path: Path) -> Mapping[str, Any]:
    """Return the hidden suite at `path` as plain data, or an empty dict if there is none.

    It is not checked against the public suite, because a mismatch can be the reason to generate it
    again. Raises `InvalidSuite` for mistakes in the file itself.
    """
    if not path.is_file():
        return {}
    document = read_document(read_source(path.read_bytes(), str(path)))
    validate_document(document, WrittenHidden)
    data: Mapping[str, Any] = document.data
    return data


def _earlier_seed(earlier: Mapping[str, Any]) -> str:
    """Return the seed of an earlier hidden suite, or the default seed."""
    match earlier:
        case {"generated": {"seed": str(seed)}}:
            return seed
        case _:
            return _DEFAULT_SEED
