"""A tiny exercise, `box`, to derive suites from, and parts of specs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

from grader.plugins.authoring.deriving.derivation import Derivation, derive
from grader.plugins.authoring.deriving.settings import load_settings
from grader.sandbox.zygote import Zygote
from grader.suite.loading import InvalidSuite

SETTINGS: Final = "exercise: box\ntitle: Box\nlanguage: en\nmodule: box\ndefines: [Box]\n"
REFERENCE: Final = """\
class Box:
    def __init__(self, n):
        self.n = n

    def put(self, k):
        assert k > 0, 'too small'
        self.n += k
        return self

    def clear(self):
        self.n = 0

    def copy(self):
        return Box(self.n)

    def size(self):
        return self.n

    def items(self):
        return {(i, 'x') for i in range(self.n)}

    def show(self):
        print('row 1')
        print('row 2')

    def quit(self):
        raise SystemExit

    def __str__(self):
        return '#' * self.n


class Lid(Box):
    pass
"""


def box(folder: Path) -> Path:
    """Return the new folder `box` in `folder`, with its settings and its reference."""
    made = folder / "box"
    made.mkdir()
    (made / "exercise.yaml").write_text(SETTINGS)
    (made / "box.py").write_text(REFERENCE)
    return made


def derived(zygote: Zygote, folder: Path, spec: str) -> Derivation:
    """Return what comes of the text `spec` on the reference in `folder`, which has its name."""
    settings = load_settings(folder / "exercise.yaml")
    return derive(spec, "spec.md", folder / f"{folder.name}.py", settings, zygote)


def refusal(folder: Path, settings: str) -> tuple[Mapping[str, str], str]:
    """Return what is said of wrong settings in `folder`: the messages by place, and all of it."""
    path = folder / "exercise.yaml"
    path.write_text(settings)
    with pytest.raises(InvalidSuite) as caught:
        load_settings(path)
    messages = {f"{one.line}:{one.column}": one.message for one in caught.value.diagnostics}
    return messages, str(caught.value)


def python(code: str) -> str:
    """Return a spec that is nothing but `code`, which begins on line 2."""
    return f"```python\n{code}```\n"
