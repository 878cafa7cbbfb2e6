"""Archives as sources: their files by name, whatever made them and however they are nested."""

from __future__ import annotations

import os
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from made_archives import (
    TAR_MODES,
    Files,
    contents,
    raw_zip,
    refused,
    source_of,
    streamed,
    tar_of,
    tarred,
    trouble,
    zipped,
)

from grader.intake.opening import open_source

FILES = {"An/akari.py": b"x = 1\n", "An/data/rooster.txt": b"...\n", "leeg/": b"", "jan.py": b""}
JUNK = ("__MACOSX/._a.py", ".DS_Store", "a/.git/hooks/x", ".idea/x.xml", "venv/x.py")
MORE_JUNK = ("node_modules/x.js", "a/__pycache__/b.pyc", "a.py:Zone.Identifier")


@pytest.mark.parametrize("made", [zipped(FILES), zipped(FILES, zipfile.ZIP_STORED)])
def test_a_zip_has_its_files(tmp_path: Path, made: bytes) -> None:
    """Leaves are in the order of their paths; a folder with nothing in it is told."""
    source = source_of(tmp_path, made)
    assert ["An/akari.py", "An/data/rooster.txt", "jan.py"] == [one.path for one in source.leaves]
    assert {name: data for name, data in FILES.items() if name != "leeg/"} == contents(source)
    assert (("leeg",), ()) == (source.empty_folders, source.refusals)


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT])
@pytest.mark.parametrize("mode", TAR_MODES)
def test_a_tar_has_its_files(tmp_path: Path, mode: str, form: int) -> None:
    """However it is compressed; long names and names that are no ASCII included."""
    long = "/".join([*["map " * 10] * 3, "oefening " * 5 + ".py"])
    files = {**FILES, long: b"y = 2\n", "Zoë/ñ.py": bytes(range(256)) * 300}
    source = source_of(tmp_path, tarred(files, mode, form))
    assert {name: data for name, data in files.items() if name != "leeg/"} == contents(source)
    assert (("leeg",), ()) == (source.empty_folders, source.refusals)


@pytest.mark.parametrize("made", [zipped(FILES), tarred(FILES), tarred(FILES, "w:xz")])
def test_an_archive_is_told_by_what_is_in_it(tmp_path: Path, made: bytes) -> None:
    """It may have any name, or none that says so."""
    assert 3 == len(source_of(tmp_path, made, "jan.py").leaves)


@pytest.mark.parametrize("make", [zipped, tarred])
def test_who_has_nothing_but_what_is_passed_over_is_still_there(
    tmp_path: Path, make: Callable[[Files], bytes]
) -> None:
    """Her folder is an empty one."""
    junk = {"Gil/.DS_Store": b"", "Zoë/x/__pycache__/a.pyc": b"", "An/a.py": b"", "An/~": b""}
    assert ("Gil", "Zoë/x") == source_of(tmp_path, make(junk)).empty_folders


def test_what_programs_leave_behind_is_passed_over(tmp_path: Path) -> None:
    """Byte code, folders of editors and of version control are nobody's work."""
    files = dict.fromkeys([*JUNK, *MORE_JUNK, "a/b.py"], b"")
    for made in (zipped(files), tarred(files)):
        assert ["a/b.py"] == [leaf.path for leaf in source_of(tmp_path, made).leaves]


def test_times_are_those_of_the_files(tmp_path: Path) -> None:
    """Without a time zone where the archive has none; a date that cannot be is none at all."""
    extra = struct.pack("<2HBl", 0x5455, 5, 1, 86_400)
    (unix,) = source_of(tmp_path, raw_zip({b"a": b""}, extra=extra)).leaves
    assert datetime(1970, 1, 2, tzinfo=UTC) == unix.modified
    (dos,) = source_of(tmp_path, raw_zip({b"a": b""})).leaves
    assert datetime(1980, 1, 1) == dos.modified  # noqa: DTZ001
    (no_day,) = source_of(tmp_path, raw_zip({b"a": b""}).replace(b"\x21\0", b"\0\0")).leaves
    assert None is no_day.modified


def test_times_that_no_calendar_has_are_none(tmp_path: Path) -> None:
    """A tar may say any number of seconds."""
    member = tarfile.TarInfo("a.py")
    member.mtime = 1e300
    (leaf,) = source_of(tmp_path, tar_of(member)).leaves
    assert None is leaf.modified


def test_a_zip_with_large_numbers(tmp_path: Path) -> None:
    """Where there is no room for a number at the end, it stands before that."""
    made = raw_zip({b"a.py": b"1", b"b.py": b"2"})
    start, end = made.index(b"PK\1\2"), len(made) - 22
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, 2, 2, end - start, start)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, end, 1)
    full = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *[0xFFFF] * 2, *[0xFFFFFFFF] * 2, 0)
    source = source_of(tmp_path, made[:end] + record + locator + full)
    assert ({"a.py": b"1", "b.py": b"2"}, ()) == (contents(source), source.refusals)


# Names


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Zoë/ñ.py".encode(), "Zoë/ñ.py"),
        ("Zoë/ñ.py".encode("cp437"), "Zoë/ñ.py"),
        ("Ándré Ø.py".encode("cp850"), "Ándré Ø.py"),
        (unicodedata.normalize("NFD", "Élise.py").encode(), "Élise.py"),
        (b"An\\werk\\a.py", "An/werk/a.py"),
        (b"./An//./a.py", "An/a.py"),
        (b"a\nb\x1b[31m.py", "a\nb\x1b[31m.py"),
        (b"=cmd|' /C calc'!A0.py", "=cmd|' /C calc'!A0.py"),
        (b"<script>.py", "<script>.py"),
        (b"CON.py", "CON.py"),
        (b"x" * 300 + b".py", "x" * 300 + ".py"),
    ],
)
def test_names_of_a_zip(tmp_path: Path, raw: bytes, name: str) -> None:
    """UTF-8 is known also where nobody says so, and so is the code page of Windows."""
    source = source_of(tmp_path, raw_zip({raw: b"x"}))
    assert ({name: b"x"}, ()) == (contents(source), source.refusals)


@pytest.mark.parametrize("flags", [0, 1 << 11])
def test_a_name_that_is_not_in_the_encoding_that_it_says(tmp_path: Path, flags: int) -> None:
    """One wrong byte loses no file."""
    source = source_of(tmp_path, raw_zip({b"\x82t\x82.py": b"x", b"b.py": b"y"}, flags=flags))
    assert {"été.py": b"x", "b.py": b"y"} == contents(source)


def test_a_second_name_in_utf8(tmp_path: Path) -> None:
    """Info-ZIP keeps it beside the first one; it counts while the first one is that of then."""
    raw, better = b"Zo_.py", "Zoë.py".encode()
    for crc, name in ((zlib.crc32(raw), "Zoë.py"), (1, "Zo_.py")):
        extra = struct.pack("<2HBL", 0x7075, 5 + len(better), 1, crc) + better
        assert [name] == [*contents(source_of(tmp_path, raw_zip({raw: b""}, extra=extra)))]


# Nested


def test_archives_in_archives_are_folders(tmp_path: Path) -> None:
    """Two levels are opened, in any mixture; which folders were archives is told."""
    deepest = zipped({"d.py": b"4"})
    deep = tarred({"c.py": b"3", "deepest.zip": deepest}, "w:gz")
    inner = zipped({"in/b.py": b"2", "deep.tar.gz": deep})
    for made in (zipped({"ann.zip": inner}), tarred({"ann.zip": inner}, "w:bz2")):
        source = source_of(tmp_path, made)
        files = {"ann/in/b.py": b"2", "ann/deep/c.py": b"3", "ann/deep/deepest.zip": deepest}
        assert files == contents(source)
        assert {"ann": "ann.zip", "ann/deep": "ann/deep.tar.gz"} == source.archives


def test_archives_in_a_folder_are_opened(tmp_path: Path) -> None:
    """A folder with an archive per student is what many platforms give."""
    (tmp_path / "ann.zip").write_bytes(zipped({"a.py": b"1"}))
    (tmp_path / "bob.tgz").write_bytes(tarred({"b.py": b"2"}, "w:gz"))
    source = open_source(tmp_path)
    assert {"ann/a.py": b"1", "bob/b.py": b"2"} == contents(source)
    assert {"ann": "ann.zip", "bob": "bob.tgz"} == source.archives


def test_archives_and_folders_of_one_name_do_not_mix(tmp_path: Path) -> None:
    """The first has the short name; the others keep their whole one."""
    inner, other = zipped({"b.py": b"2"}), tarred({"c.py": b"3"})
    source = source_of(tmp_path, zipped({"ann/a.py": b"1", "ann.tar": other, "ann.zip": inner}))
    assert {"ann/a.py": b"1", "ann.zip/b.py": b"2", "ann.tar/c.py": b"3"} == contents(source)
    source = source_of(tmp_path, zipped({"ann.tar": other, "ann.zip": inner, "ann.zip/x": b"!"}))
    assert {"ann.zip/x": b"!", "ann.zip (2)/b.py": b"2", "ann/c.py": b"3"} == contents(source)


def test_an_archive_without_a_suffix_is_a_folder_of_its_name(tmp_path: Path) -> None:
    """The file makes room for what is in it."""
    source = source_of(tmp_path, zipped({"werk": zipped({"b.py": b"2"})}))
    assert ({"werk/b.py": b"2"}, {"werk": "werk"}) == (contents(source), source.archives)


def test_an_empty_archive_is_an_empty_folder(tmp_path: Path) -> None:
    """Who handed it in, has handed in nothing."""
    source = source_of(tmp_path, zipped({"ann.zip": zipped({}), "bob.py": b""}))
    assert (("ann",), {"ann": "ann.zip"}) == (source.empty_folders, source.archives)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.docx", zipped({"[Content_Types].xml": b"", "word/document.xml": b""})),
        ("a.odt", zipped({"mimetype": b"application/vnd.oasis.opendocument.text"})),
        ("a.npz", zipped({"x.npy": b"", "y.npy": b""})),
        ("a.rar", b"Rar!\x1a\x07\x01\x00"),
        ("a.7z", b"7z\xbc\xaf\x27\x1c"),
        ("a.pdf", b"%PDF-1.7"),
        ("a.csv.gz", b"\x1f\x8b\x08" + b"\0" * 20),
    ],
)
def test_what_is_no_archive_stays_a_file(tmp_path: Path, name: str, data: bytes) -> None:
    """Documents and arrays that are zips inside, and packings that cannot be opened here."""
    source = source_of(tmp_path, zipped({name: data}))
    assert [name] == [leaf.path for leaf in source.leaves]
    assert {} == source.archives
    assert [name] == [leaf.path for leaf in source_of(tmp_path, data, name).leaves]


# Damage


def test_a_zip_that_was_cut_off_gives_what_is_whole(tmp_path: Path) -> None:
    """A download that broke off has no table; files are found one after another."""
    files = {f"{number}.py": os.urandom(1000) for number in range(10)}
    source = source_of(tmp_path, zipped(files)[:5500])
    assert [("", "refused.damaged_archive")] == refused(source)
    assert {"5.py": "refused.damaged"} == trouble(source)
    for leaf in source.leaves[:-1]:
        assert files[leaf.path] == leaf.read(1000)
    assert 6 == len(source.leaves)


def test_a_zip_that_was_streamed_and_cut_off(tmp_path: Path) -> None:
    """Where sizes follow each file, it is unpacked to see where the next one begins."""
    files = {f"{number}.py": b"x = 1\n" * 100 for number in range(10)}
    data = streamed(files)
    source = source_of(tmp_path, data[: data.index(b"PK\1\2")])
    assert files == contents(source)
    assert [("", "refused.damaged_archive")] == refused(source)
    cut = source_of(tmp_path, data[: data.index(b"9.py") + 10])
    assert {"9.py": "refused.damaged"} == trouble(cut)


@pytest.mark.parametrize("mode", TAR_MODES)
def test_a_tar_that_was_cut_off_gives_what_is_whole(tmp_path: Path, mode: str) -> None:
    """What comes before the end of the download is read, and the rest is told."""
    files = {f"{number}.py": os.urandom(4096) for number in range(10)}
    made = tarred(files, mode)
    source = source_of(tmp_path, made[: len(made) * 2 // 3], f"class.tar.{mode[2:]}")
    assert [("", "refused.damaged_archive")] == refused(source)
    whole = [leaf for leaf in source.leaves if leaf.path not in trouble(source)]
    assert all(files[leaf.path] == leaf.read(4096) for leaf in whole)
    assert len(whole) >= (0 if mode == "w:bz2" else 3)


def test_a_damaged_file_in_a_zip_is_told(tmp_path: Path) -> None:
    """Its checksum is not right; the other files are read."""
    made = bytearray(zipped({"a.py": b"x = 1", "b.py": b"y = 2"}, zipfile.ZIP_STORED))
    made[made.index(b"x = 1")] ^= 1
    source = source_of(tmp_path, bytes(made))
    assert {"a.py": "refused.damaged"} == trouble(source)


def test_a_damaged_archive_of_a_student_stays_a_file(tmp_path: Path) -> None:
    """She is found, and told, though nothing in it can be read."""
    source = source_of(tmp_path, zipped({"ann.zip": b"PK\3\4" + b"\0" * 40, "bob.py": b"1"}))
    assert ["ann.zip", "bob.py"] == [leaf.path for leaf in source.leaves]
    assert [("ann.zip", "refused.damaged_archive")] == refused(source)


def test_a_zip_behind_a_program_is_read(tmp_path: Path) -> None:
    """A zip that unpacks itself is a program first; one in the middle of nothing is none."""
    program = source_of(tmp_path, zipped({"x.exe": b"MZ" + zipped({"a.py": b"1"})}))
    assert ["x.exe"] == [leaf.path for leaf in program.leaves]
    shifted = source_of(tmp_path, b"PK\3\4" + zipped({"a.py": b"1"}))
    assert {"a.py": b"1"} == contents(shifted)


def test_a_source_without_anything_readable_is_empty(tmp_path: Path) -> None:
    """It does not become a file that somebody handed in."""
    source = source_of(tmp_path, b"PK\3\4" + b"\0" * 40)
    assert ((), [("", "refused.damaged_archive")]) == (source.leaves, refused(source))
    assert () == source_of(tmp_path, zipped({})).leaves


def test_folders_and_links_of_a_tar(tmp_path: Path) -> None:
    """What is no file is refused by name."""
    members = []
    for name, kind in (
        ("h", b"1"),
        ("s", b"2"),
        ("c", b"3"),
        ("b", b"4"),
        ("f", b"6"),
        ("p", b"S"),
    ):
        members.append(tarfile.TarInfo(name))
        members[-1].type = kind
        members[-1].linkname = "/etc/passwd"
    source = source_of(tmp_path, tar_of(*members))
    keys = ["link", "link", *["special"] * 4]
    assert [f"refused.{key}" for key in keys] == [key for _, key in refused(source)]
    assert () == source.leaves
