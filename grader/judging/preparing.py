"""Builds a program from the code of a submission and the given code of the suite."""

from __future__ import annotations

from dataclasses import replace

from grader.intake.submission import SourceFile, Submission
from grader.messages import message
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.model import Suite
from grader.values.foreign_text import one_line


def with_given_code(suite: Suite, submission: Submission) -> Submission:
    """Return `submission` with the suite's given code, which replaces modules of the same name.

    The result has a remark on each replaced file, unless the file equals the given code, as it
    usually does.
    """
    given_files = {
        name: SourceFile(name=f"{name.replace('.', '/')}.py", text=text, encoding="utf-8")
        for name, text in suite.given.items()
    }
    replacements = tuple(
        message("remark.given", file=one_line(file.name))
        for name, file in submission.modules.items()
        if name in given_files and file.text.strip() != given_files[name].text.strip()
    )
    remarks = submission.remarks + replacements
    return replace(submission, modules={**submission.modules, **given_files}, remarks=remarks)


def build_program(suite: Suite, submission: Submission) -> Program:
    """Return the program to send to executors for `submission`, which has given code in place."""
    sources = {name: (file.name, file.text) for name, file in submission.modules.items()}
    # The suite's files override the submission's, which could contain an easier puzzle.
    files = {**submission.data, **{name: text.encode() for name, text in suite.files.items()}}
    return Program.from_sources(
        sources,
        files,
        suite.imports,
        binds=suite.binds,
        parts=submission.parts,
        required_names=suite.requested_names,
        overridden=suite.redefinable_builtins,
        now_s=suite.now_s,
    )


def runner_for(suite: Suite, submission: Submission, zygote: Sandbox) -> SessionRunner:
    """Return a runner for several sessions of `suite` on `submission`, which must be gradable."""
    program = build_program(suite, with_given_code(suite, submission))
    program.is_reused = True
    return SessionRunner(zygote, program, suite.limits)
