"""`grader similarity`: what hostile hand-ins can do to it, its page, kept fingerprints, layouts."""

from __future__ import annotations

import csv
import errno
import json
from array import array
from collections.abc import Iterator
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from command_line import RIGHT, SUITE, grader, write
from compared_programs import CLASS, ORIGINAL, class_of
from read_pages import OUR_TAGS, Reader
from record_samples import HOSTILE_TEXTS

from grader.errors import ProtocolError, UsageError
from grader.intake.submissions import HandIn
from grader.plugins.similarity import fingerprints
from grader.plugins.similarity.fingerprint_files import KeptProgram, keep, read_kept
from grader.plugins.similarity.fingerprints import read_all, sources_of
from grader.plugins.similarity.page import similarity_page
from grader.plugins.similarity.verb import _terminal_lines
from grader.reporting.wording import LANGUAGES
from grader.sandbox.executor import ExecutorEnded
from grader.verdict import Verdict

# Reading

HOSTILE: Final = {
    "brackets": "(" * 90_000,
    "signs": "x = " + "-" * 200_000 + "1",
    "sums": "x = " + "1 + " * 60_000 + "1",
    "lambdas": "lambda: " * 30_000 + "0",
    "blocks": "\n".join(" " * depth + "if x:" for depth in range(700)),
    "nulls": "x = 1\0\n" * 1_000,
    "surrogate": "x = '\ud800'\n",
    "binary": bytes(range(256)).decode("latin-1") * 100,
    "python 2": 'print "a"\nexec "b"\n',
    "numbers": "x = " + "9" * 100_000,
    "many names": "\n".join(f"x{n} = y{n}.z{n}" for n in range(9_000)),
    "nothing": "",
}


def test_hostile_programs_hurt_none_but_themselves() -> None:
    """Each is read as far as it can be, and the programs among them are read as ever."""
    programs = [[("a.py", text)] for text in HOSTILE.values()]
    among = [each for one in programs for each in (one, [("b.py", CLASS[0])])]
    found = read_all(among)
    (alone,) = read_all([[("b.py", CLASS[0])]])
    assert [alone] * len(programs) == found[1::2]
    troubled = {name for name, each in zip(HOSTILE, found[::2], strict=True) if each.problem}
    assert {"brackets", "lambdas", "blocks", "nulls", "binary", "python 2"} <= troubled


def test_what_is_too_long_or_no_file_is_not_read() -> None:
    """It says so, and no executor sees it."""
    found = read_all([[("a.py", "x = 1\n" * 2_000_000)], []])
    assert ["more than 300,000 characters", "no file that can be compared"] == [
        each.problem for each in found
    ]


class Deadly:
    """A sandbox of which the executors end at some texts."""

    def __init__(self) -> None:
        self.forks = 0

    def fork(self, _limits: object) -> Deadly:
        """Return an executor."""
        self.forks += 1
        return self

    def replies(self, requests: list[Any], **_limits: float) -> Iterator[bytes]:
        """Answer as a reader does; the first program is told in the second request."""
        yield b"{}"
        self._die_of(str(requests[1]))
        yield json.dumps(self._told()).encode()

    def _die_of(self, text: str) -> None:
        if "deadly" in text:
            raise ExecutorEnded(Verdict.CRASHED, "signal SIGSEGV")

    def _told(self) -> dict[str, Any]:
        return {"fragments": [[1, 0, 1, 1]], "words": [], "statements": 1, "unparsed": 0}

    def end(self) -> None:
        """End it."""


def test_a_program_that_ends_its_reader_is_set_aside() -> None:
    """Each is read by an executor of its own, so that the others are as they are."""
    sandbox = Deadly()
    texts = ["x", "deadly", "y", "z"]
    found = [fingerprints._read_hand_in(sandbox, [("a.py", text)]) for text in texts]  # type: ignore[arg-type]
    assert [1, 0, 1, 1] == [len(each.hashes) for each in found]
    assert "SIGSEGV" in found[1].problem
    assert len(texts) == sandbox.forks


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"fragments": [[1, 1, 1, 1]]},
        {"fragments": [[1 << 48, 0, 1, 1]]},
        {"fragments": [[1, 0, 2, 1]]},
        {"fragments": [[1, 0, 1]]},
        {"words": [["name", 1, 1]]},
        {"words": "name"},
        {"statements": None},
        {"more": 1},
    ],
)
def test_what_no_reader_says_is_refused(told: dict[str, object]) -> None:
    """A reader may have been taken over."""
    usual = {"fragments": [], "words": [], "statements": 0, "unparsed": 0}
    with pytest.raises(ProtocolError):
        fingerprints._parse_reply({**usual, **told} if told else {}, 1)


def test_notebooks_are_read_cell_by_cell() -> None:
    """A cell that is no Python leaves the others as they are; files of other kinds are left out."""
    cells = ["x = f(1, 2) + 3", "this is not valid Python", "y = g(x, [x]) + 5"]
    notebook = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    hand_in = HandIn(
        student="ann", files={"a.ipynb": json.dumps(notebook).encode(), "b.txt": b"notes"}
    )
    (found,) = read_all([sources_of(hand_in)])
    assert ("", {2, 8}) == (found.problem, {*found.places[1::3]})


# The page


@pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=list(HOSTILE_TEXTS))
def test_no_text_of_a_student_becomes_markup(text: str) -> None:
    """Names, comments, code and names of files are shown as what they are."""
    comment = text[:500].replace("\n", " ")
    copies = dict.fromkeys((f"a{text[:80]}", "b"), f"# {comment}\n{CLASS[ORIGINAL]}")
    others = {str(number): each for number, each in enumerate(CLASS) if number != ORIGINAL}
    found = class_of({**others, **copies})
    place = len(others)
    codes = {each: [(text[:100], next(iter(copies.values())))] for each in (place, place + 1)}
    page = similarity_page([(found, codes, [])], "en")
    reader = Reader(page)
    assert {*reader.tags} <= OUR_TAGS
    assert [] == reader.open_tags
    assert not [name for name, _ in reader.attributes if name.startswith("on")]
    assert "<img" not in page
    assert "Yin &lt;b&gt;Yang" in page
    assert len(page) < 400_000


def test_a_class_that_could_not_be_read_has_no_half() -> None:
    """The page says that it is too small, and nothing of programs most like another."""
    page = similarity_page([(class_of({}), {}, [])], "en")
    assert "Half of them" not in page
    assert "Half of them" in similarity_page([(class_of({"an": CLASS[0], "bo": ""}), {}, [])], "en")


def test_one_pair_stands_out() -> None:
    """The terminal says so in the singular."""
    texts = {f"s{number}": text for number, text in enumerate((*CLASS, CLASS[ORIGINAL]))}
    assert "  1 pair stands out: a signal for a person, not a judgement" in list(
        _terminal_lines(class_of(texts), [])
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_says_first_what_it_is(language: str) -> None:
    """In each language, of a class with outliers, of one without, and of one that is too small."""
    copied = class_of({str(number): each for number, each in enumerate((*CLASS, CLASS[0]))})
    plain = class_of({str(number): each for number, each in enumerate(CLASS)})
    small = class_of({"a": CLASS[0], "b": CLASS[0]})
    earlier = [
        (
            copied.likeness.pairs[0],
            KeptProgram(id="abc", date_kept=date(2026, 1, 2), hashes=array("Q")),
        )
    ]
    page = similarity_page([(copied, {}, earlier), (plain, {}, []), (small, {}, [])], language)
    assert page.index('class="caution"') < page.index("<figure")
    assert 3 == page.count("<figure")
    assert 1 == page.count('<details class="pair"')
    assert "2026, abc" in page


# Later years

TODAY: Final = date(2026, 11, 29)


def test_fingerprints_are_kept_without_code_and_names(tmp_path: Path) -> None:
    """What is read back are hashes, and by what the files are known."""
    file, hashes = tmp_path / "kept.json", array("Q", [3, 1, (1 << 48) - 1])
    last = keep(file, "yinyang", [("f" * 64, hashes)], TODAY, None)
    found = read_kept(file, "yinyang", TODAY)
    assert found is not None
    assert [([1, 3, (1 << 48) - 1], "2026, ffffffffffff")] == [
        ([*each.hashes], each.label) for each in found
    ]
    assert TODAY + timedelta(days=730) == last
    assert [] == read_kept(file, "akari", TODAY)


def test_a_file_past_its_day_is_deleted_and_not_read(tmp_path: Path) -> None:
    """On its last day it is there no more."""
    file = tmp_path / "kept.json"
    keep(file, "yinyang", [], TODAY, TODAY + timedelta(days=1))
    assert [] == read_kept(file, "yinyang", TODAY)
    assert read_kept(file, "yinyang", TODAY + timedelta(days=1)) is None
    assert not file.exists()


def test_a_file_past_its_day_that_cannot_be_deleted_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever may read its folder only has to ask somebody else."""

    def refuse(*_arguments: object, **_options: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    file = tmp_path / "kept.json"
    keep(file, "yinyang", [], TODAY, TODAY + timedelta(days=1))
    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(UsageError, match="has expired, but cannot be deleted: Permission denied"):
        read_kept(file, "yinyang", TODAY + timedelta(days=1))


@pytest.mark.parametrize("days", [0, -1, 5_000])
def test_nothing_is_kept_for_a_day_or_for_ever(tmp_path: Path, days: int) -> None:
    """A purge date is after today, and in sight."""
    with pytest.raises(UsageError):
        keep(tmp_path / "kept.json", "yinyang", [], TODAY, TODAY + timedelta(days=days))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "[" * 100_000,
        '{"schema": "grader/fingerprints/1", "purge": "x", "kept": "2026-01-01"}',
        '{"schema": "grader/fingerprints/1", "purge": "2030-01-01", "kept": "2026-01-01"}',
    ],
)
def test_what_is_no_such_file_is_refused(tmp_path: Path, text: str) -> None:
    """It is told, and it stays."""
    file = tmp_path / "kept.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        read_kept(file, "yinyang", TODAY)
    assert file.exists()


# The verb


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run in it, of a class in which one hand-in was copied."""
    folder = tmp_path_factory.mktemp("class")
    suite = SUITE.format(name="double", defines="double", call="double(2)")
    write(str(folder / "testsuites/double.yaml"), suite)
    for number, text in enumerate((*CLASS, CLASS[ORIGINAL], CLASS[ORIGINAL] + "\n# a\n")):
        write(str(folder / f"class/s{number:02}/double.py"), RIGHT + text)
    write(str(folder / "class/empty/double.py"), RIGHT)
    return folder


@pytest.mark.commands
def test_a_run_is_compared(
    run: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copies are told on the terminal, in JSON and on the page; a later class is like them."""
    monkeypatch.chdir(run)
    assert 0 == grader(capfd, "grade", "class", "--exercise", "double", "--out", "run").code
    results = Path("run/results.json").read_bytes()
    done = grader(capfd, "similarity", "run", "--keep", "kept.json")
    assert 0 == done.code
    assert "3 pairs stand out: a signal for a person, not a judgement" in done.out
    assert "s03" in done.out.split("pairs stand out")[1].split("\n")[1]
    assert 'class="caution"' in Path("run/similarity.html").read_text(encoding="utf-8")
    assert results == Path("run/results.json").read_bytes()
    assert "s03" not in Path("kept.json").read_text(encoding="ascii")
    done = grader(capfd, "similarity", "run", "--with", "kept.json", "--json", "--out", "page.html")
    (told,) = json.loads(done.out)["exercises"]
    assert [["s03", "s15", "s16"]] == [sorted(each) for each in told["groups"]]
    assert ["s03", "s15"] in [each["students"] for each in told["pairs"] if each["same_files"]]
    assert {"s00", "s03"} <= {each["student"] for each in told["earlier"]}


@pytest.mark.commands
def test_files_are_laid_out_for_others(
    run: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each student has a folder, of which `info.csv` says whose it is; nothing is written over."""
    monkeypatch.chdir(run)
    assert 0 == grader(capfd, "grade", "class", "--exercise", "double", "--out", "run2").code
    for layout, place in (("dolos", ""), ("jplag", "submissions/"), ("folder", "")):
        assert 0 == grader(capfd, "export", "run2", "--sources", layout, "--to", layout).code
        with Path(layout, "info.csv").open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert [f"{place}s03/double.py"] == [r["filename"] for r in rows if r["full_name"] == "s03"]
        assert all(Path(layout, each["filename"]).is_file() for each in rows)
    assert 2 == grader(capfd, "export", "run2", "--sources", "dolos", "--to", "dolos").code
    assert 2 == grader(capfd, "export", "run2", "--sources", "dolos", "--mail").code


@pytest.mark.commands
def test_what_another_program_finds_is_told_beside(
    run: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the terminal, in JSON and on the page; names that nobody has are warned of, on a line."""
    monkeypatch.chdir(run)
    assert 0 == grader(capfd, "grade", "class", "--exercise", "double", "--out", "run4").code
    results = Path("run4/results.json").read_bytes()
    names = [f"s{number:02}" for number in range(17)]
    rows = [
        f"/x/{first}/double.py,/x/{second}/double.py,{0.9 if first == 's05' else 0.2}\n"
        for first, second in pairwise(names)
    ]
    strange = '"/x/s\n<b>\x1b[31m/double.py",/x/s00/double.py,1\n'
    table = f"leftFilePath,rightFilePath,similarity\n{''.join(rows)}{strange}"
    Path("pairs.csv").write_text(table, encoding="utf-8")
    done = grader(capfd, "similarity", "run4", "--beside", "pairs.csv")
    assert 0 == done.code
    (line,) = (line for line in done.out.split("\n") if "found by Dolos only" in line)
    assert ["s05", "s06", "Dolos", "90%,"] == line.split()[2:6]
    assert "Dolos does not list it" in done.out
    assert "warning: Dolos names hand-ins that are not in this class: 1: s" in done.err
    assert ("\x1b[31m" in done.err, "\n<b>" in done.err) == (False, False)
    assert "found by Dolos only" in Path("run4/similarity.html").read_text(encoding="utf-8")
    assert results == Path("run4/results.json").read_bytes()
    done = grader(capfd, "similarity", "run4", "--beside", "pairs.csv", "--json")
    (told,) = json.loads(done.out)["exercises"]
    assert {"Dolos": {"similarity": 0.9, "outlier": True}} in [e["beside"] for e in told["pairs"]]


@pytest.mark.commands
def test_what_cannot_be_compared_is_said(
    run: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of pseudonyms has kept no files."""
    monkeypatch.chdir(run)
    args = ("class/s00/double.py", "--exercise", "double", "--out", "run3", "--pseudonyms")
    grader(capfd, "grade", *args)
    done = grader(capfd, "similarity", "run3")
    assert (2, True) == (done.code, "stores no files" in done.err)
    assert 2 == grader(capfd, "similarity", "run3", "--until", "2030-01-01").code
