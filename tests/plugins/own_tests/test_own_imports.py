"""Which files of tests know what to do where something of a submission is missing."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Final

import pytest

from grader.plugins.own_tests.proxying.finder import has_fallback

_HEAD: Final = """\
import contextlib
from contextlib import nullcontext, suppress
"""


@pytest.mark.parametrize(
    ("expected", "head", "tail"),
    [
        (True, "try:", "except ImportError: bonus = None"),
        (True, "try:", "except (OSError, ModuleNotFoundError): bonus = None"),
        (True, "try:", "except: pass"),
        (True, "try:", "except BaseException: bonus = None"),
        (True, "with suppress(ImportError):", ""),
        (True, "with contextlib.suppress(OSError, Exception):", ""),
        (True, "with suppress(ValueError), suppress(ImportError):", ""),
        (False, "try:", "except ValueError: bonus = None"),
        (False, "try:", "except ImportError: print('no bonus')"),
        (False, "with suppress(ValueError):", ""),
        (False, "with suppress():", ""),
        (False, "with nullcontext(ImportError):", ""),
        (False, "if True:", ""),
    ],
)
def test_who_catches_what_is_missing_can_do_without(
    tmp_path: Path, *, expected: bool, head: str, tail: str
) -> None:
    """Who puts something in its place, or leaves it out; who ends or skips the file does not."""
    file = tmp_path / "test_it.py"
    file.write_text(f"{_HEAD}{head}\n    answers.append(ask())\n{tail}\nanswers.append(ask())\n")
    answers: list[bool] = []
    run_path(str(file), {"answers": answers, "ask": has_fallback})
    assert [expected, False] == answers
