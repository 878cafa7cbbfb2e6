"""First-year programs that ask and print: derived from their spec, and judged as they deserve.

Each folder of `scripts` has a spec with console sessions, its reference, and hand-ins whose
folder says what they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from grader.intake.submission import SourceFile, Submission
from grader.judging.judge import grade
from grader.judging.record import Record
from grader.judging.rules import KINDS
from grader.plugins.authoring.deriving.derivation import derive
from grader.plugins.authoring.deriving.proving import complete_derivation, prove
from grader.plugins.authoring.deriving.settings import load_settings
from grader.plugins.authoring.suite_text import as_yaml
from grader.sandbox.zygote import Zygote
from grader.suite.loading import parse_suite
from grader.suite.model import Suite

SCRIPTS: Final = sorted((Path(__file__).parent / "scripts").iterdir())


def suite_of(zygote: Zygote, folder: Path) -> Suite:
    """Return the suite of the script in `folder`, proven on its reference."""
    settings = load_settings(folder / "exercise.yaml")
    reference = folder / f"{folder.name}.py"
    done = derive((folder / "spec.md").read_text(), "spec.md", reference, settings, zygote)
    assert () == done.doubts
    suite = parse_suite(as_yaml(done.document, schema="x").encode(), "x", KINDS)
    assert done.document == complete_derivation(done, suite, reference, zygote).document
    prove(suite, reference, zygote)
    return suite


def record(zygote: Zygote, suite: Suite, file: Path) -> Record:
    """Return the record of `file`, handed in as it should be called."""
    module, text = suite.modules[0], file.read_text()
    submission = Submission(
        student="student",
        modules={module: SourceFile(name=f"{module}.py", text=text, encoding="utf-8")},
        data={},
        parts={module: module},
        raw={f"{module}.py": text.encode()},
    )
    return grade(suite, submission, zygote)


@pytest.mark.parametrize("folder", SCRIPTS, ids=lambda folder: folder.name)
def test_right_scripts_have_all_points_and_wrong_ones_lose_some(
    zygote: Zygote, folder: Path
) -> None:
    """Whoever does what the console shows is right, however it is written."""
    suite = suite_of(zygote, folder)
    for file in sorted(folder.glob("*/*.py")):
        done = record(zygote, suite, file)
        is_right = file.parent.name == "right"
        assert is_right is (done.score == done.max_score), file.name
