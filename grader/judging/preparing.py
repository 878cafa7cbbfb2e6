"""Builds a program from a submission: its own code, and the given code of the suite."""

from __future__ import annotations

from dataclasses import replace

from grader.intake.submission import SourceFile, Submission
from grader.messages import message
from grader.sandbox.program import Program
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.sessions import SessionRunner
from grader.suite.model import Suite
from grader.values.foreign_text import one_line


def with_given(suite: Suite, submission: Submission) -> Submission:
    """Return `submission` with the suite's given code, which replaces files of the same name.

    Replacing a file adds a remark, unless the file equals the given code, as most do.
    """
    given = {
        name: SourceFile(name=f"{name.replace('.', '/')}.py", text=text, encoding="utf-8")
        for name, text in suite.given.items()
    }
    replaced = tuple(
        message("remark.given", file=one_line(own.name))
        for name, own in submission.modules.items()
        if name in given and own.text.strip() != given[name].text.strip()
    )
    remarks = submission.remarks + replaced
    return replace(submission, modules={**submission.modules, **given}, remarks=remarks)


def program_of(suite: Suite, submission: Submission) -> Program:
    """Return the program that executors are sent for `submission`, with given code in place."""
    sources = {name: (file.name, file.text) for name, file in submission.modules.items()}
    # The suite's files win: a submission cannot bring an easier puzzle of its own.
    files = {**submission.data, **{name: text.encode() for name, text in suite.files.items()}}
    return Program.of(
        sources,
        files,
        suite.imports,
        binds=suite.binds,
        parts=submission.parts,
        asked=suite.asked,
        overridden=suite.overridden,
        now_s=suite.now_s,
    )


def runner_for(suite: Suite, submission: Submission, zygote: Sandbox) -> SessionRunner:
    """Return a runner for several sessions of `suite` on a gradable submission."""
    program = program_of(suite, with_given(suite, submission))
    program.lasts = True
    return SessionRunner(zygote, program, suite.limits)
