"""Options of `grader grade` that ask for opposite things."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.errors import UsageError
from grader.intake.plan import Choice

_CONTRADICTIONS = (
    ("public", "seed", "pools to draw from are in the hidden suite only"),
    ("isolation", "trust_submissions", "--trust-submissions makes do with any level"),
    ("sheets", "no_reports", "sheets are written beside the pages"),
    ("self_contained", "no_reports", "no page is written at all"),
    ("pseudonyms", "no_reports", "the table of who is who is written beside the pages"),
    ("shard", "pseudonyms", "shards would draw a pseudonym each for the same student"),
    ("shard", "no_reports", "a shard writes none: `grader merge` does"),
    ("shard", "junit", "`grader merge` has it for all shards together"),
    ("shard", "as_json_", "`grader merge` has it for all shards together"),
)


def refuse_contradictions(options: Mapping[str, Any]) -> None:
    """Raise `UsageError` where two options ask for opposite things."""
    for one, other, way_out in _CONTRADICTIONS:
        if not {None, False} & {options[one], options[other]}:
            words = f"--{one} and --{other} contradict each other".replace("as_json_", "json")
            raise UsageError(words.replace("_", "-"), help=way_out)
    if options["attempt"] == Choice.BEST and (options["shard"] or options["pseudonyms"]):
        other = "shard" if options["shard"] else "pseudonyms"
        raise UsageError(
            f"--attempt best and --{other} contradict each other",
            help="which one is best is known when all are graded, under their names",
        )
    if options["late"] is not None and options["deadline"] is None:
        raise UsageError("--late needs a deadline", help="say it: --deadline 2026-10-01T23:59")
    if options["events"] == "-" and options["as_json_"]:
        raise UsageError("--events - and --json both write to standard output")
