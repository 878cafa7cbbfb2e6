"""The judge in a browser: grades files with a parsed suite, and renders the page."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import Any, Final

from grader.errors import GraderError
from grader.intake.submission import Submission
from grader.intake.submissions import build_submission, collect_hand_in, single_entry
from grader.judging.record import CaseResult, Record
from grader.plugins.kit.data import decode
from grader.plugins.site.prompting import Prompt
from grader.plugins.site.workers import WorkerSandbox
from grader.reporting.code_view import MAX_REMARKS, group_by_text, remarks_by_file
from grader.reporting.mending import find_first_to_mend
from grader.reporting.results import entry_json
from grader.reporting.student_page import student_page
from grader.reporting.visibility import visible_groups
from grader.reporting.wording import Locale, Tone, tone_of
from grader.run.worker import GradedRecord, Worker
from grader.suite.model import Suite
from grader.suite.texts import COMMAND_PREFIX
from grader.values.foreign_text import one_line

_ROOT: Final = Path("/handed-in")
_CODE_CHARS: Final = 80
_prompts: Final[list[Prompt]] = []
"""The open prompt, if there is one."""


class _Worker(Worker):
    """A worker that writes our own failures to the console of the browser."""

    def fault(self, suite: Suite, submission: Submission, evidence: str) -> GradedRecord:
        """Print `evidence`, and return the record of a `submission` that we failed to grade."""
        print(evidence, file=sys.stderr)
        return super().fault(suite, submission, evidence)


def check_files(pool: object, suite_text: str, files: Mapping[str, bytes]) -> str:
    """Grade `files` and return JSON with the page, the results, marked lines and failing sessions.

    Return an object with an `error` instead if grading fails. `suite_text` is the JSON of a suite,
    as `exercise_files` encodes it. Executors come from the `pool` of `judge.js`.
    """
    suite: Suite = decode(json.loads(suite_text))
    try:
        submission = _submission(suite, files)
        with _Worker(start=lambda _packages, seed: WorkerSandbox(pool, seed)) as worker:
            # The page is for a student, who must not see remarks for staff.
            record = replace(worker.grade(suite, submission).record, staff_remarks=())
            record = worker.shorten_first_failure(suite, submission, record)
    except GraderError as error:
        return json.dumps({"error": error.message})
    return json.dumps(
        {
            "page": student_page(record),
            "result": json.loads(entry_json(record)),
            "marks": [*_marks(record)],
            "sessions": [*_sessions(record)],
        }
    )


def open_prompt(
    pool: object, suite_text: str, files: Mapping[str, bytes], case: str, lines: Iterable[str]
) -> str:
    """Open a prompt on `files`, run `lines` in it, and return the results as JSON.

    The prompt imports the modules of the session with the case whose id is `case`. A prompt that is
    already open is closed first.
    """
    suite: Suite = decode(json.loads(suite_text))
    while _prompts:
        _prompts.pop().end()
    prompt = Prompt(WorkerSandbox(pool, 0), suite, _submission(suite, files))
    _prompts.append(prompt)
    sessions = {each.id: session for session in suite.sessions for each in session.cases}
    modules = sessions[case].modules if case in sessions else suite.modules
    return json.dumps([asdict(answer) for answer in prompt.begin(tuple(modules), lines)])


def type_line(text: str) -> str:
    """Run `text` at the open prompt, and return the result as JSON."""
    return json.dumps([asdict(_prompts[0].run_typed(text))])


def _submission(suite: Suite, files: Mapping[str, bytes]) -> Submission:
    """Write `files` to the worker's file system, and return them as a submission for `suite`."""
    shutil.rmtree(_ROOT, ignore_errors=True)  # remove the files of the previous check
    folder = _ROOT / suite.exercise  # the page shows this name if there are several files
    for name, data in files.items():
        if name in {"", ".", ".."}:  # these are folders, which cannot be written as files
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(data))
    single_name = [*files] if len(files) == 1 else []
    hand_in = collect_hand_in(single_entry(folder.joinpath(*single_name)))
    return build_submission(hand_in, suite.modules, suite.defines)


def _marks(record: Record) -> Iterator[dict[str, Any]]:
    """Yield marks for the editor: remarks about code, and the line where Python stopped."""
    locale = Locale.for_record(record)
    for remark in record.remarks:
        parameters = dict(remark.parameters)
        if {"file", "line"} <= parameters.keys():
            yield _mark(
                str(parameters["file"]), int(parameters["line"]), Tone.BAD, locale.sentence(remark)
            )
    for file, lines in remarks_by_file(visible_groups(record), record, locale).items():
        for line, remarks in lines.items():
            for group in group_by_text(remarks.values())[:MAX_REMARKS]:
                codes = ", ".join([*dict.fromkeys(filter(None, (r.code for r in group)))][:3])
                text = f"{group[0].text} – {codes}" if codes else group[0].text  # noqa: RUF001
                yield _mark(file, line, group[0].sign.tone, f"{group[0].sign.word}: {text}")


def _mark(file: str, line: int, tone: Tone, text: str) -> dict[str, Any]:
    # Backticks mark code on pages, but the editor shows plain text.
    plain = text.replace("`", "")
    return {"file": file, "line": line, "isBad": tone is Tone.BAD, "text": plain}


def _sessions(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the public failing sessions for the prompt, starting with the one to fix first."""
    first = find_first_to_mend(record)
    suggested = [] if first is None or first.shown is None else [first.shown]
    cases = chain.from_iterable(group.cases for group in visible_groups(record))
    failing = (case for case in cases if tone_of(case.verdict) is Tone.BAD)
    sessions: dict[str, CaseResult] = {}
    for case in chain(suggested, failing):
        # The prompt cannot replay a session that runs a program.
        if case.transcript and not any(
            line.code.startswith(COMMAND_PREFIX) for line in case.transcript
        ):
            sessions.setdefault(case.id, case)
    for case in sessions.values():
        lines = [line.code for line in case.transcript]
        yield {"id": case.id, "code": one_line(case.code, _CODE_CHARS), "lines": lines}
