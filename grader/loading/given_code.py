"""Reads the code of ours that a suite names: what is given to submissions, and its stand-ins."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from grader.display import one_line
from grader.loading.findings import Findings
from grader.loading.forms import SuiteHead
from grader.loading.refusal import Refusal
from grader.loading.suggestions import quoted

MAX_CODE_BYTES: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Sources:
    """Source code by the name of its module."""

    given: Mapping[str, str] = field(default_factory=dict)
    stand_ins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SourceReader:
    """Reads the files that the suite in `folder` names; what is wrong goes to `findings`."""

    folder: Path
    findings: Findings

    def read(self, head: SuiteHead | None) -> Sources:
        """Return the code that `head` names, as far as it can be read."""
        if head is None:
            return Sources()
        return Sources(
            given=self._texts("given", head.given),
            stand_ins=self._texts("stand_ins", head.stand_ins),
        )

    def _texts(self, key: str, files: Mapping[str, str]) -> Mapping[str, str]:
        texts = {}
        for module, file in files.items():
            try:
                texts[module] = self._text(file)
            except Refusal as refusal:
                self.findings.at_value((key, module), refusal.problem, refusal.advice)
        return texts

    def _text(self, file: str) -> str:
        """Return the text of `file`; raises `Refusal` for what no submission could import."""
        places = (self.folder / file, self.folder.absolute().parent / file)
        path = next((place for place in places if place.is_file()), None)
        if path is None:
            advice = "name it from the folder of the suite, or from the one above"
            raise Refusal(f"there is no file {quoted(file)}", advice)
        try:
            with path.open("rb") as opened:
                data = opened.read(MAX_CODE_BYTES + 1)
            text = data.decode("utf-8").replace("\r\n", "\n")
        except (OSError, UnicodeDecodeError) as error:
            problem = f"cannot read {quoted(file)}: {one_line(str(error), 80)}"
            raise Refusal(problem, "it has to be a text file in UTF-8") from error
        if len(data) > MAX_CODE_BYTES:
            problem = f"{quoted(file)} is larger than {MAX_CODE_BYTES // 1024} KiB"
            raise Refusal(problem, "no submission could load it: split it")
        _compile(text, file)
        return text


def _compile(text: str, file: str) -> None:
    """Raise `Refusal` if `text` does not compile; nothing of it is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        problem = f"{quoted(file)} is no Python: {one_line(str(error), 80)}"
        raise Refusal(problem, "mend the file") from error
