"""`grader derive`: from a spec to a suite, or whether it is in step."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

import pytest
from command_line import grader
from small_specs import REFERENCE, box

from grader.judging.rules import KINDS
from grader.suite.loading import parse_suite

ROOT: Final = Path(__file__).resolve().parents[3]


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec of `box` in the current folder, with a folder of suites."""
    folder = box(tmp_path)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("GRADER_SUITES", raising=False)
    (folder / "testsuites").mkdir()
    (folder / "spec.md").write_text("Intro\n\n>>> b = Box(2)\n>>> b.size()\n2\n")
    return folder / "spec.md"


def test_derive_writes_the_suite(spec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It lands in the folder of suites under the name of the exercise, and is told."""
    target = spec.parent / "testsuites" / "box.yaml"
    assert (0, "", f"2 examples proven on box.py: {target}\n") == grader(capfd, "derive", "spec.md")
    assert "spec: ../spec.md\n" in target.read_text()
    assert (0, "", "") == grader(capfd, "derive", "spec.md", "--check")


def test_derive_check_tells_what_is_out_of_step(
    spec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """A missing suite, an older one and one that is no text: exit 3, and nothing is written."""
    target = spec.parent / "testsuites" / "box.yaml"
    for old in (None, b"exercise: box\n", b"\xff\xfe\x00"):
        if old is not None:
            target.write_bytes(old)
        code, out, err = grader(capfd, "derive", "spec.md", "--check")
        assert (3, "") == (code, out)
        problem = "does not exist" if old is None else "is not up to date with spec.md"
        assert (f"error: {target} {problem}\n  = help: run: grader derive spec.md\n") == err
        assert old == (target.read_bytes() if target.exists() else None)


def test_derive_to_standard_output(spec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`--out -` prints the suite and nothing else; no file is written."""
    code, out, err = grader(capfd, "derive", "spec.md", "--out", "-")
    assert (0, "") == (code, err)
    assert "box" == parse_suite(out.encode(), "-", KINDS).exercise
    assert [] == list((spec.parent / "testsuites").iterdir())


def test_derive_tells_all_wrong_examples_with_their_place(
    spec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """File, line, the line itself and a caret, for each; exit 3 and no suite."""
    spec.write_text("Intro\n\n>>> b = Box(2)\n>>> b.size()\n3\n>>> print(b)\n#\n>>> b.n\n2\n")
    code, out, err = grader(capfd, "derive", "spec.md")
    assert (3, "") == (code, out)
    assert (
        "error: the spec shows 3, but the reference returns 2\n"
        "  --> spec.md:4:1\n"
        "   |\n"
        " 4 | >>> b.size()\n"
        "   | ^\n"
        "   = help: correct the spec or the reference, "
    ) in err
    assert "  --> spec.md:6:1\n   |\n 6 | >>> print(b)\n" in err
    assert 2 == err.count("error: ")
    assert [] == list((spec.parent / "testsuites").iterdir())


def test_derive_warns_of_doubts(spec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A doubt is told with its place, and the suite is written all the same."""
    spec.write_text(spec.read_text() + "Glued prose.\n")
    code, _, err = grader(capfd, "derive", "spec.md")
    assert 0 == code
    assert (
        "warning: text right below the expected output was cut off: 'Glued prose.'\n"
        "  --> spec.md:6\n"
        "  = help: the reference prints only the lines above this one; put an empty line before "
        "it\n"
    ) in err


@pytest.mark.parametrize(
    ("broken", "code", "said"),
    [
        (
            "reference",
            2,
            (
                "error: the reference file does not exist: box.py\n"
                "  = help: put a solution named box.py beside"
            ),
        ),
        (
            "settings",
            2,
            "error: cannot read the settings exercise.yaml: No such file or directory\n",
        ),
        ("encoding", 2, "error: spec.md is not UTF-8\n  = help: save it as UTF-8\n"),
        (
            "encoding of the reference",
            2,
            "error: box.py is not UTF-8\n  = help: save it as UTF-8\n",
        ),
        ("folder", 2, "error: cannot read spec.md/spec.md: No such file or directory"),
        ("examples", 3, "error: this spec has no example session\n  --> spec.md:1:1\n"),
        (
            "syntax",
            3,
            "error: this example is not valid Python: invalid syntax\n  --> spec.md:2:1\n",
        ),
        ("empty", 3, "error: this spec has no example session\n  --> spec.md:1:1\n"),
    ],
)
def test_derive_errors(
    spec: Path, capfd: pytest.CaptureFixture[str], broken: str, code: int, said: str
) -> None:
    """What is missing or unreadable is told, with the exit code of its kind."""
    match broken:
        case "reference":
            Path("box.py").unlink()
        case "settings":
            Path("exercise.yaml").unlink()
        case "encoding":
            spec.write_bytes(b">>> 'caf\xe9'\n")
        case "encoding of the reference":
            Path("box.py").write_bytes(REFERENCE.encode() + b"# caf\xe9\n")
        case "folder":
            spec.unlink()
            spec.mkdir()
        case "examples":
            spec.write_text("Only prose.\n")
        case "syntax":
            spec.write_text("a\n>>> 1 +\n")
        case "empty":
            spec.write_text("")
    found = grader(capfd, "derive", "spec.md")
    assert (code, "") == found[:2]
    assert said in found[2]
    assert "Traceback" not in found[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "error: the argument SPEC is missing"),
        (("no.md",), "error: cannot read no.md: No such file or directory\n"),
    ],
)
def test_derive_asks_for_a_spec(
    capfd: pytest.CaptureFixture[str], words: tuple[str, ...], said: str
) -> None:
    """Without one that is there it does nothing."""
    done = grader(capfd, "derive", *words)
    assert (2, "", True) == (done.code, done.out, done.err.startswith(said))


@pytest.mark.parametrize(
    ("words", "first", "second"),
    [
        (("spec.md", "--reference", "box.py"), "--reference", "a spec"),
        (("spec.md", "--title", "Boxes"), "--title", "a spec"),
        (("spec.md", "--language", "en"), "--language", "a spec"),
        (("--from-tested", ".", "--reference", "box.py"), "--from-tested", "--reference"),
        (("--from-tested", ".", "--check"), "--from-tested", "--check"),
        (("--from-tests", "box.py", "spec.md"), "--from-tests", "a spec"),
    ],
)
def test_derive_ignores_no_option(
    spec: Path,
    capfd: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    first: str,
    second: str,
) -> None:
    """What has no effect beside the other is refused, also where it is the default."""
    done = grader(capfd, "derive", *words)
    assert (2, "", []) == (done.code, done.out, list((spec.parent / "testsuites").iterdir()))
    assert done.err.startswith(f"error: {first} cannot be combined with {second}\n")


@pytest.mark.authoring
def test_derive_on_this_project_is_in_step(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """`grader derive SPEC --check` agrees for a copy of an exercise of ours, and of its suite."""
    shutil.copytree(ROOT / "reference" / "akari", tmp_path / "reference" / "akari")
    shutil.copytree(ROOT / "testsuites", tmp_path / "testsuites")
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs/suite.schema.json", tmp_path / "docs")
    monkeypatch.chdir(tmp_path)
    assert (0, "", "") == grader(capfd, "derive", "reference/akari/spec.md", "--check")


@pytest.mark.parametrize(
    ("example", "straight"),
    [
        (">>> len(‘ab’)\n2\n", "write ' for ‘, ' for ’"),
        (">>> for i in range(2):\n…     print(i)\n0\n1\n", "write ... for …"),
        (">>> 'ab' + 'c'\n‘abc’\n", "write ' for ‘, ' for ’"),
    ],
)
def test_derive_tells_what_a_word_processor_has_changed(
    spec: Path, capfd: pytest.CaptureFixture[str], example: str, straight: str
) -> None:
    """Quotes, dashes and dots that were typed straight and pasted curly are named."""
    spec.write_text(f"Intro\n\n{example}\nIt’s prose.\n")
    done = grader(capfd, "derive", "spec.md")
    assert 3 == done.code
    assert f"a word processor has changed characters of the example: {straight}" in done.err


def test_a_long_run_of_a_program_is_told(spec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """It is one case; how to share the points is told, and the suite is written."""
    (spec.parent / "box.py").write_text("for number in range(int(input())):\n    print(number)\n")
    settings = spec.with_name("exercise.yaml")
    settings.write_text(settings.read_text().replace("[Box]", "[]"))
    shown = ["2", "0", "1", "", "$ python box.py", "20", *map(str, range(20))]
    spec.write_text("\n".join(["```", "$ python box.py", *shown, "```", ""]))
    code, _, err = grader(capfd, "derive", "spec.md")
    assert (0, 1) == (code, err.count("warning: "))
    assert (
        "warning: a run that prints 21 lines is one case: one wrong word costs all its points\n"
        "  --> spec.md:7\n  = help: show several short runs, which share the points\n"
    ) in err
    assert "2 examples proven on box.py" in err


def test_what_hangs_on_chance_is_told_so(spec: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Draws without a seed, and the order of a set, are no mistakes of the spec; a sum is one."""
    spec.with_name("box.py").write_text(
        "import random\ndef draw(): return random.sample(range(1000), 3)\n"
        "def people(): print({'Ana', 'Marta', 'Luis', 'Eva', 'Ada'})\n"
        "def double(n): return 2 * n\n"
    )
    settings = spec.with_name("exercise.yaml")
    settings.write_text(settings.read_text().replace("[Box]", "[draw, people, double]"))
    spec.write_text(
        ">>> draw()\n[1, 2, 3]\n>>> people()\n{'Eva', 'Ana'}\n>>> double(2)\n5\n", "utf-8"
    )
    code, _, err = grader(capfd, "derive", "spec.md")
    assert 3 == code
    drawn, ordered, wrong = err.split("error: ")[1:]
    for each in (drawn, ordered):
        assert "; this differs from run to run\n" in each
        assert "set the seed in an earlier example; for a set, show sorted(...)" in each
    assert "the spec shows 5, but the reference returns 4\n" in wrong
    assert "help: correct the spec" in wrong


def test_standard_error_is_named_where_the_reference_writes_to_it(
    spec: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """What is logged stands at a prompt, and no submission is asked for it."""
    spec.with_name("box.py").write_text(
        "import logging\nclass Box:\n    def __init__(self, n): self.n = n\n"
        "    def size(self):\n        logging.warning('odd')\n        return self.n\n"
    )
    spec.write_text(">>> Box(2).size()\nWARNING:root:odd\n2\n")
    assert "do not show output to standard error, such as logging: it is not recorded" in (
        grader(capfd, "derive", "spec.md").err
    )
