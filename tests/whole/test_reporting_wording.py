"""The words of the reports are all used, and numbers are those of a language."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from grader.plugins.regrading.changes import Cause
from grader.plugins.repairs.proposing import KINDS, MUTATORS
from grader.reporting.class_analysis import Difficulty, Discrimination
from grader.reporting.evidence_page import CERTAINTY_LEVELS
from grader.reporting.questions import QUESTION_KINDS
from grader.reporting.signs import SignKind
from grader.reporting.wording import Locale, catalog
from grader.verdict import RuleVerdict, Status, Verdict

PREFIX = "report."
CLI = files("grader.cli")
KIT = files("grader.plugins.kit")
MISUSES = (
    *("bare_option", "bare_path", "near_option", "no_path", "no_verb", "option", "value", "verb"),
    *("exercise", "near_exercise", "watch_alone"),
    *("absent", "empty", "lost", "many_hand_ins", "no_case", "no_python", "none_fits"),
    *("several", "several_fit"),
)


OF_SITES = (
    *("about", "again", "anew", "browser", "check", "checking", "code", "done", "files"),
    *(
        "gaps",
        "isolation",
        "keys",
        "line",
        "link",
        "loading",
        "lost",
        "marks",
        "no_packages",
        "nothing",
    ),
    *("prompt", "ready", "restarted", "result", "session", "title", "trouble", "typed"),
)


def used_keys() -> set[str]:
    """Return the keys that modules and templates ask for."""
    folder = files("grader.reporting")
    folders = (
        folder,
        folder / "templates",
        folder / "wording",
        *(
            files(f"grader.plugins.{name}")
            for name in ("desk", "drawing", "platforms", "regrading", "similarity")
        ),
        files("grader.plugins.platforms") / "gradebooks",
        CLI,
        KIT,
    )
    sources = [
        file for each in folders for file in each.iterdir() if not file.name.endswith(".yaml")
    ]
    text = "\n".join(each.read_text(encoding="utf-8") for each in sources if each.is_file())
    called = r"\b(?:t|locale|self|_locale|with_points|with_loss)"
    plain = set(re.findall(called + r"\(\s*[\"']([a-z]\w*[a-z])[\"']", text))
    return plain | {
        *(f"verdict_{verdict.value}" for verdict in Verdict),
        *(f"meaning_{verdict.value}" for verdict in Verdict if verdict is not Verdict.PASSED),
        *(f"rule_{verdict.value}" for verdict in RuleVerdict),
        *(f"status_{status.value}" for status in Status),
        *(f"notice_{status.value}{end}" for status in Status for end in ("", "_text")),
        *(f"isolation_{level}" for level in range(4)),
        *(f"attempts_{kind}" for kind in ("broke", "mended", "still")),
        *(f"changes_{cause.value}" for cause in Cause),
        *(f"class_{each.value}" for each in (*Difficulty, *Discrimination)),
        *(f"class_{kind}{end}" for kind in ("suspect", "dead", "double") for end in ("", "_text")),
        *(f"evidence_{kind.value}{end}" for kind in SignKind for end in ("", "_means", "_else")),
        *(f"similarity_{kind}" for kind in ("comment", "name", "text")),
        *(f"sheet_ask_{kind}" for kind in QUESTION_KINDS),
        *(f"sheet_{criterion}" for criterion in ("readability", "structure", "adaptability")),
        *(f"evidence_{level}{end}" for level in CERTAINTY_LEVELS for end in ("", "_means")),
        *(f"usage_{misuse}{end}" for misuse in MISUSES for end in ("", "_help")),
        *(f"table_{what}" for what in ("expected", "got", "missing", "extra")),
        *(f"{each}_{what}" for each in ("board", "line") for what in ("missing", "extra")),
        *(f"repair_{KINDS.get(each.__name__, each.__name__)}" for each in MUTATORS),
        *(f"site_{name}" for name in OF_SITES),
        *("tally_hidden", "tally_hidden_short"),
        *("step_failed", "step_cause", "step_not_reached", "expected", "got"),
    } - {"notice_graded", "notice_graded_text"}


def test_every_key_exists_and_is_used() -> None:
    """Neither a page nor a catalog has a key that the other has not."""
    written = {key.removeprefix(PREFIX) for key in catalog("en") if key.startswith(PREFIX)}
    assert {key for key in written if not key.endswith("_one")} == used_keys()


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1.0, "1"), (0.5, "0,5"), (1 / 3, "0,33"), (-0.0, "0"), (-0.001, "0"), (100.0, "100")],
)
def test_numbers_are_written_as_people_write_them(value: float, shown: str) -> None:
    """Two decimals at most, no empty ones, and no minus before zero."""
    assert shown == Locale.for_language("nl").number(value)


def test_large_counts_are_grouped() -> None:
    """From five digits on, thousands are set apart by a blank that does not break."""
    counts = [Locale.for_language("es").count(count) for count in (9999, 65536)]
    assert ["9999", "65\N{NARROW NO-BREAK SPACE}536"] == counts


def test_sizes_have_a_unit() -> None:
    """Bytes are counted in steps of a thousand."""
    sizes = [Locale.for_language("en").size(size) for size in (0, 999, 3127, 10**6, 10**15)]
    assert ["0 B", "999 B", "3.1 kB", "1 MB", "1000000 GB"] == sizes
