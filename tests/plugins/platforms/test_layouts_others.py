"""Downloads of Brightspace, Gradescope, GitHub and Google."""

from __future__ import annotations

import struct
import zlib

import pytest
from named_sources import YINYANG, attempts, found, left_out, source

from grader.intake.layouts import recognise_layouts
from grader.intake.layouts.recognition import KnownExercise

# Brightspace


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(
            [
                "106785-35487 - Mary-Ann O'Neil - Sep 24, 2025 926 PM/yinyang.py",
                "106786-35487 - Bob de Vos - Sep 4, 2025 1205 AM/src/yinyang.py",
            ],
            [
                ("Mary-Ann O'Neil, id=106785", "yinyang.py 2025-09-24 21:26"),
                ("Bob de Vos, id=106786", "src/yinyang.py 2025-09-04 00:05"),
            ],
            id="a folder for each",
        ),
        pytest.param(
            ["Lab 1 Download/1-9 - Ann - B - Maes - Oct 7, 2025 1132 AM - my - file.py"],
            [("Ann - B - Maes, id=1", "my - file.py 2025-10-07 11:32")],
            id="no folders, and names with a dash",
        ),
        pytest.param(
            [
                "35487-1 - Ann - 7 okt., 2025 2115/a.py",
                "35487-1 - Ann - 8 oktober 2025 915/a.py",
                "35487-2 - Bob - 3 mrt 2025 09:15/a.py",
            ],
            [
                ("Ann, id=1", "a.py 2025-10-07 21:15"),
                ("Ann, id=1", "a.py 2025-10-08 09:15"),
                ("Bob, id=2", "a.py 2025-03-03 09:15"),
            ],
            id="Dutch, two attempts, the number of the folder first",
        ),
        pytest.param(
            ["1-9 - José - 7 de enero de 2026 2115/a.py"],
            [("José, id=1", "a.py 2026-01-07 21:15")],
            id="Spanish",
        ),
        pytest.param(
            ["1-9 - Zoé - 7 juil. 2026 14 h 30/a.py", "2-9 - Luc - 3 févr. 2026 09 h 05/a.py"],
            [("Zoé, id=1", "a.py 2026-07-07 14:30"), ("Luc, id=2", "a.py 2026-02-03 09:05")],
            id="French",
        ),
    ],
)
def test_brightspace_tells_names_and_times(
    names: list[str], expected: list[tuple[str, str]]
) -> None:
    """The number that is not the same for all is that of the student."""
    recognition = found(source(*sorted(names), "index.html"))
    assert "brightspace" == recognition.layout
    assert sorted(expected) == sorted(attempts(recognition))
    assert {"index.html": "it is the table of contents"} == left_out(recognition)


# Gradescope

_METADATA = """\
---
submission_11:
  :submitters:
  - :name: Ann Peeters
    :sid: '01234567'
    :email: ann@example.org
  :created_at: 2025-10-07 21:15:02.123456000 Z
  :score: 3.0
  :results:
    tests:
    - name: ':submitters:'
      output: "submission_12:\\n  :submitters: x"
submission_12:
  :submitters:
  - :name: Bob
    :sid:
    :email: bob@example.org
  - :name: Cas
    :sid: 'c1'
    :email: cas@example.org
  :created_at: !ruby/object:ActiveSupport::TimeWithZone
    utc: 2025-10-08 09:00:00.000000000 Z
    zone: &1 !ruby/object:ActiveSupport::TimeZone
      name: Etc/UTC
submission_13:
  :submitters:
  - :name: Dana
    :email: dana@example.org
"""


def test_gradescope_tells_who_is_behind_a_number() -> None:
    """Groups have one submission; who is in the table without a folder has handed in nothing."""
    given = source(
        "export/submission_11/yinyang.py",
        "export/submission_12/sub/yinyang.py",
        "export/submission_99/yinyang.py",
        texts={"export/submission_metadata.yml": _METADATA},
    )
    recognition = found(given)
    assert [
        ("Ann Peeters, id=01234567, email=ann@example.org", "yinyang.py 2025-10-07 21:15"),
        (
            "Bob & Cas: Bob, email=bob@example.org + Cas, id=c1, email=cas@example.org",
            "sub/yinyang.py 2025-10-08 09:00",
        ),
        ("Dana, email=dana@example.org", "nothing"),
    ] == attempts(recognition)
    reason = "it is not listed in submission_metadata.yml"
    assert {"export/submission_99/yinyang.py": reason} == left_out(recognition)
    assert ("submission_13: the folder of the submission is missing",) == recognition.guesses


def test_a_submission_of_nobody_is_told() -> None:
    """Gradescope lists it without submitters: it is called after its folder."""
    table = "submission_11:\n  :submitters: []\n  :created_at: 2025-10-07 21:15:02 Z\n"
    given = source("submission_11/yinyang.py", texts={"submission_metadata.yml": table})
    recognition = found(given)
    (attempt,) = recognition.attempts
    assert ("submission_11", None) == (attempt.person.handle, attempt.person.name)
    expected = ("submission_11: submission_metadata.yml lists no submitter",)
    assert expected == recognition.guesses


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "a: &a [*a, *a]\n", "{{{: }", "? [x]\n: y\n", "\0", "submission_1: 3\n", ""],
)
def test_a_damaged_table_of_gradescope_costs_no_crash(text: str) -> None:
    """It is read within bounds, and what cannot be read names nobody."""
    given = source("submission_1/a.py", texts={"submission_metadata.yml": text})
    assert all(each.layout != "gradescope" for each in recognise_layouts(given, YINYANG))


# GitHub

_SHA = "ce013625030ba8dba906f756967f9e9ca394464a"
_COMMIT = (
    b"tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\nauthor Ann <a@b> 1 +0000\n"
    b"committer Ann <a@b> 1759864502 +0200\n\ncommitter Ann <a@b> 5 +0000\n"
)


def _git(folder: str, files: dict[str, bytes]) -> dict[str, bytes]:
    return {f"{folder}/.git/{path}": data for path, data in files.items()}


_LOOSE = {
    "HEAD": b"ref: refs/heads/main\n",
    "refs/heads/main": _SHA.encode() + b"\n",
    f"objects/{_SHA[:2]}/{_SHA[2:]}": zlib.compress(b"commit 9\0" + _COMMIT),
}


def _packed() -> dict[str, bytes]:
    sha = bytes.fromhex(_SHA)
    fan = struct.pack(">256I", *(int(byte >= sha[0]) for byte in range(256)))
    entry = bytes([0x90 | len(_COMMIT) & 15, len(_COMMIT) >> 4]) + zlib.compress(_COMMIT)
    index = b"\xfftOc" + struct.pack(">I", 2) + fan + sha + bytes(4) + struct.pack(">I", 12)
    return {
        "HEAD": b"ref: refs/heads/main\n",
        "packed-refs": b"# pack-refs with: peeled\n%s refs/heads/main\n" % _SHA.encode(),
        "objects/pack/pack-1.idx": index,
        "objects/pack/pack-1.pack": b"PACK" + bytes(8) + entry,
    }


@pytest.mark.parametrize("files", [_LOOSE, _packed()])
def test_a_clone_tells_user_and_time_of_its_commit(files: dict[str, bytes]) -> None:
    """Whether the commit is a file of its own or in a pack; its message tells no time."""
    folder = "yinyang-submissions/yinyang-ann-p"
    recognition = found(source(f"{folder}/src/yinyang.py", texts=_git(folder, files)))
    assert "github" == recognition.layout
    assert [("-, user=ann-p", "src/yinyang.py 2025-10-07 21:15")] == attempts(recognition)


@pytest.mark.parametrize(
    "files",
    [
        {"HEAD": b"ref: ../../../etc/passwd"},
        {"HEAD": b"\xff\xfe"},
        {**_LOOSE, f"objects/{_SHA[:2]}/{_SHA[2:]}": zlib.compress(b"commit 9\0" + bytes(10**8))},
        {**_packed(), "objects/pack/pack-1.idx": b"\xfftOc\0\0\0\2" + b"\xff" * 1100},
        {**_packed(), "objects/pack/pack-1.pack": b"PACK" + b"\xff" * 12},
        {**_LOOSE, "HEAD": _SHA.encode(), f"objects/{_SHA[:2]}/{_SHA[2:]}": b"no zlib"},
    ],
)
def test_a_hostile_clone_has_no_time(files: dict[str, bytes]) -> None:
    """Its student made these files: they are read within bounds, and nothing is run."""
    folder = "yinyang-submissions/yinyang-ann"
    recognition = found(source(f"{folder}/yinyang.py", texts=_git(folder, files)))
    assert [("-, user=ann", "yinyang.py")] == attempts(recognition)


def test_classroom_50_names_clones_after_classroom_and_assignment() -> None:
    """Its own files beside the clones and in them are nobody's work."""
    around = "prog-yinyang_submissions_2026_05_09_T_14_30_45"
    given = source(
        f"{around}/prog-yinyang-ann/yinyang.py",
        f"{around}/prog-yinyang-bob-k/yinyang.py",
        texts={f"{around}/scores.csv": "a", f"{around}/prog-yinyang-ann/result.json": "{}"},
    )
    recognition = found(given)
    assert "classroom50" == recognition.layout
    assert [("-, user=ann", "yinyang.py"), ("-, user=bob-k", "yinyang.py")] == attempts(recognition)
    assert ({}, ()) == (left_out(recognition), recognition.missing)


def test_the_scores_of_classroom_50_tell_names_teams_and_who_was_late() -> None:
    """Members of a team share the clone of who hands in; who has none is missing."""
    around = "prog-yinyang_submissions_2026_05_09_T_14_30_45"
    scores = """\
username,first_name,last_name,email,section,datetime,submitted_by,late
Ann,Ann,Maes,ann@example.org,A,2026-05-08T10:00:00Z,ann,true
bob-k,Bob,,,A,2026-05-07T10:00:00Z,bob-k,false
cas,Cas,Vos,,A,2026-05-07T10:00:00Z,bob-k,false
dee,Dee,Dee,,A,,,
"""
    given = source(
        f"{around}/prog-yinyang-ann/yinyang.py",
        f"{around}/prog-yinyang-bob-k/yinyang.py",
        texts={f"{around}/scores.csv": scores},
    )
    recognition = found(given)
    assert [
        ("Ann Maes, user=ann, email=ann@example.org", "yinyang.py 2026-05-08 10:00 late"),
        (
            "Bob & Cas Vos: Bob, user=bob-k + Cas Vos, user=cas",
            "yinyang.py 2026-05-07 10:00 in time",
        ),
    ] == attempts(recognition)
    assert ["Dee Dee"] == [person.name for person in recognition.missing]


@pytest.mark.parametrize("scores", ["", "\0", "username\nann\n", '"', "submitted_by,username\n,\n"])
def test_a_table_that_is_none_says_nothing(scores: str) -> None:
    """The names of the folders do then."""
    texts = {"a-submissions/scores.csv": scores}
    recognition = found(source("a-submissions/a-ann/yinyang.py", texts=texts))
    assert [("-, user=ann", "yinyang.py")] == attempts(recognition)


def test_a_folder_for_submissions_in_an_archive_of_its_name_is_no_clone() -> None:
    """Nobody is called `submissions`."""
    paths = [f"hw-submissions/hw-{user}/yinyang.py" for user in ("ann", "bob")]
    recognition = found(source(*paths, name="hw-submissions.zip"))
    assert ["ann", "bob"] == [each.person.user for each in recognition.attempts]


def test_what_all_clones_have_in_common_stands_before_the_user() -> None:
    """Where no folder around them tells it; that is said."""
    texts = {f"uno-hw-{user}/.git/HEAD": "x" for user in ("ann", "bob")}
    recognition = found(source("uno-hw-ann/a.py", "uno-hw-bob/a.py", texts=texts))
    assert [("-, user=ann", "a.py"), ("-, user=bob", "a.py")] == attempts(recognition)
    assert (
        "the prefix `uno-hw-` of all folders is assumed not to be part of the user names",
    ) == recognition.guesses


def test_a_single_clone_has_the_name_of_its_user() -> None:
    """Where nothing tells what stands before it; that is said."""
    given = source("uno-hw-ann/a.py", texts={"uno-hw-ann/.git/HEAD": "x"})
    recognition = found(given, layout="github")
    assert [("-, user=uno-hw-ann", "a.py")] == attempts(recognition)
    assert ("the whole name of each folder is assumed to be a user name",) == recognition.guesses


# Google


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(
            ["yinyang - Ann Peeters.py", "yinyang - Bob.py", "oplossing - Cas Maes.py"],
            [
                ("Cas Maes", "oplossing.py #1"),
                ("Ann Peeters", "yinyang.py #1"),
                ("Bob", "yinyang.py #1"),
            ],
            id="a form",
        ),
        pytest.param(
            ["Ann Peeters - yinyang.py", "Bob - yinyang.py"],
            [("Ann Peeters", "yinyang.py #1"), ("Bob", "yinyang.py #1")],
            id="a class",
        ),
        pytest.param(
            ["yinyang - Ann (1).py", "yinyang - Ann.py", "yinyang - Bob.py"],
            [("Ann", "yinyang.py #1"), ("Ann", "yinyang.py #2"), ("Bob", "yinyang.py #1")],
            id="twice",
        ),
        pytest.param(
            ["yin - yang - Ann.py", "yinyang - Bob.py", "yinyang - Cas.py"],
            [("Ann", "yin - yang.py #1"), ("Bob", "yinyang.py #1"), ("Cas", "yinyang.py #1")],
            id="a file with a dash",
        ),
        pytest.param(
            [
                "Week 1 - Ex (File responses)/y - Ann Maes.py",
                "Week 1 - Ex (File responses)/y - Bob.py",
            ],
            [("Ann Maes", "y.py #1"), ("Bob", "y.py #1")],
            id="a folder around all that looks like a name",
        ),
    ],
)
def test_google_tells_names(names: list[str], expected: list[tuple[str, str]]) -> None:
    """The half that is nearly the same for all is the file, the other one is the name."""
    recognition = found(source(*names), KnownExercise())
    assert "drive" == recognition.layout
    assert expected == attempts(recognition)


def test_sources_may_be_mixed() -> None:
    """What does not fit the layout of most is left to the others."""
    moodle = [f"S{n}_{n}_assignsubmission_file/a.py" for n in range(5)]
    both = recognise_layouts(source(*moodle, "maesjan_7_100_a.py", "late.py"), YINYANG)
    assert ["moodle", "canvas"] == [each.layout for each in both]
    assert [{}, {"late.py": "the name does not follow the naming scheme of Canvas"}] == [
        left_out(each) for each in both
    ]


def test_platforms_count_together() -> None:
    """A folder with two downloads, one unpacked, and the gradebook beside them."""
    moodle = [f"S{n}_{n}_assignsubmission_file/a.py" for n in range(2)]
    canvas = [f"canvas/maesjan{n}_{n}_100_a.py" for n in range(2)]
    both = recognise_layouts(
        source(*moodle, *canvas, "points.csv", "notes.txt", name="in"), YINYANG
    )
    assert ["canvas", "moodle"] == sorted(each.layout for each in both)
    assert {"points.csv", "notes.txt"} == {path for each in both for path in left_out(each)}


def test_one_odd_name_makes_no_platform() -> None:
    """A student who hands in a download of her own does not turn a class into Moodle."""
    given = source(
        *(f"s{n}/a.py" for n in range(5)), "x/Ann_1_assignsubmission_file/a.py", name="in"
    )
    recognition = found(given)
    assert "plain" == recognition.layout
    told = "1 of 6 names follow the naming scheme of Moodle; --layout moodle grades only these"
    assert (told,) == recognition.guesses
