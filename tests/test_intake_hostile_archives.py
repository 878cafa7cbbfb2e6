"""Archives that were made to do harm: nothing escapes, and all of it ends soon."""

from __future__ import annotations

import bz2
import lzma
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from made_archives import (
    TAR_MODES,
    Files,
    contents,
    raw_zip,
    refused,
    source_of,
    streamed,
    tarred,
    trouble,
    zipped,
)

from grader.intake import listing, opening, tars, unpacking
from grader.intake.files import MAX_FILE_BYTES, SubmissionError
from grader.intake.listing import ReadingBudget
from grader.intake.members import MAX_LEVELS, member_path

ELSEWHERE: Final = (
    *("../a.py", "An/../../a.py", "..\\a.py", "An\\..\\..\\a.py", "An/..", ".."),
    *("/etc/passwd", "\\\\server\\share\\a.py", "C:\\a.py", "c:a.py", "//a.py", "a\0.py"),
    "x" * 2000,
)


@pytest.mark.parametrize("name", ELSEWHERE)
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str) -> None:
    """Above the archive, to the root, to a drive, or to what programs read differently."""
    source = source_of(tmp_path, raw_zip({name.encode(): b"!", b"a.py": b"1"}))
    assert {"a.py": b"1"} == contents(source)
    assert [("", "refused.name")] == refused(source)
    if "\0" not in name:  # a tar has no such name
        assert {"a.py": b"1"} == contents(source_of(tmp_path, tarred({name: b"!", "a.py": b"1"})))


@given(st.text(max_size=40), st.sampled_from(["", "/", "..", "../", "\\", "C:", "a/.."]))
@example("a/../..", "")
def test_no_name_leads_anywhere(name: str, before: str) -> None:
    """Whatever the name, its path has parts that are names, or it is refused."""
    try:
        path = member_path(before + name)
    except SubmissionError:
        return
    assert not path or all(part not in {"", ".", ".."} for part in path.split("/"))
    assert "\0" not in path
    assert "\\" not in path


@pytest.mark.parametrize(
    ("mode", "key"),
    [(0o120777, "link"), (0o010644, "special"), (0o020644, "special"), (0o140644, "special")],
)
def test_links_and_devices_of_a_zip_are_refused(tmp_path: Path, mode: int, key: str) -> None:
    """A zip of Unix can hold a link, whose content is where it leads."""
    source = source_of(tmp_path, raw_zip({b"a.py": b"/etc/passwd"}, mode=mode))
    assert ((), [("a.py", f"refused.{key}")]) == (source.leaves, refused(source))


def test_what_is_locked_is_told(tmp_path: Path) -> None:
    """A student's archive with a password stays a file."""
    source = source_of(tmp_path, zipped({"ann.zip": raw_zip({b"a.py": b"?"}, flags=1)}))
    assert (["ann.zip"], [("ann.zip", "refused.locked")]) == (
        [leaf.path for leaf in source.leaves],
        refused(source),
    )


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, 9, 98])
def test_rare_ways_to_pack_are_told(tmp_path: Path, method: int) -> None:
    """Some ask for gigabytes of memory; nobody's system makes them by itself."""
    source = source_of(tmp_path, raw_zip({b"a.py": b"?"}, method=method))
    assert [("a.py", "refused.packing")] == refused(source)


@pytest.mark.parametrize("make", [zipped, tarred])
def test_of_two_files_of_one_name_the_last_counts(tmp_path: Path, make: object) -> None:
    """So it is when they are unpacked; that there were two is told."""
    twice = raw_zip({b"a.py": b"1", b"b.py": b"2"}).replace(b"b.py", b"a.py")
    if make is tarred:
        twice = tarred({"a.py": b"1", "./a.py": b"2"})
    source = source_of(tmp_path, twice)
    assert ({"a.py": b"2"}, [("a.py", "refused.twice")]) == (contents(source), refused(source))


def test_names_that_differ_by_case_are_two_files(tmp_path: Path) -> None:
    """On one system they are, so they are everywhere."""
    files = {"A/a.py": b"1", "a/a.py": b"2", "a/A.py": b"3"}
    assert files == contents(source_of(tmp_path, zipped(files)))


# Bombs


def over_each_other(*names: bytes) -> bytes:
    """Return a zip whose table has all lines point to the same data, once for each name."""
    made = bytearray(raw_zip(dict.fromkeys(names, b"x" * 1000)))
    place = made.find(b"PK\1\2")
    while place >= 0:
        made[place + 42 : place + 46] = bytes(4)
        place = made.find(b"PK\1\2", place + 1)
    return bytes(made)


def test_files_over_each_other_are_refused(tmp_path: Path) -> None:
    """All but one of them, whatever they are called."""
    source = source_of(tmp_path, over_each_other(*(f"{n}.py".encode() for n in range(9))))
    assert 1 == len(source.leaves)
    assert {"refused.bomb"} == {key for _, key in refused(source)}


def test_files_over_each_other_are_refused_where_they_belong(tmp_path: Path) -> None:
    """A name that leads into the folder of somebody else is a matter of its own archive."""
    inner = over_each_other(b"../bob/a.py", b".\\b\\..\\..\\c.py", b".\\b\\c.py", b"d.py")
    source = source_of(tmp_path, zipped({"ann.zip": inner, "bob/a.py": b"1"}))
    assert [("ann", "refused.bomb")] * 2 + [("ann/b/c.py", "refused.bomb")] == refused(source)


@pytest.mark.parametrize("said", [None, 10])
def test_a_file_gives_no_more_than_is_asked(tmp_path: Path, said: int | None) -> None:
    """Neither where the table says how large it is, nor where it says less."""
    packed = zipped({"a.py": bytes(50 * MAX_FILE_BYTES)})
    if said is not None:
        packed = packed.replace(struct.pack("<L", 50 * MAX_FILE_BYTES), struct.pack("<L", said))
    source = source_of(tmp_path, packed)
    tracemalloc.start()
    try:
        assert {"a.py": "refused.large" if said is None else "refused.damaged"} == trouble(source)
        assert tracemalloc.get_traced_memory()[1] < 4 * MAX_FILE_BYTES
    finally:
        tracemalloc.stop()


def test_archives_in_archives_in_archives_end(tmp_path: Path) -> None:
    """A zip that holds zips that hold zips is opened twice, within the room for all of it."""
    bomb = zipped({"0.txt": bytes(2 * MAX_FILE_BYTES)})
    for _ in range(4):
        bomb = zipped({f"{number}.zip": bomb for number in range(4)})
    source = source_of(tmp_path, bomb)
    assert 4**3 == len(source.leaves)
    assert all(leaf.path.endswith(".zip") for leaf in source.leaves)


def test_an_archive_in_an_archive_may_not_be_huge(tmp_path: Path) -> None:
    """It is held in memory; one that is too large stays a file, and its student is told."""
    huge = b"PK\3\4" + bytes(70 * 1024**2)
    source = source_of(tmp_path, zipped({"ann.zip": huge}))
    assert ["ann.zip"] == [leaf.path for leaf in source.leaves]
    assert [("ann.zip", "refused.large")] == refused(source)


def test_entries_are_counted_over_all_archives(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many small archives are as many entries as one large one."""
    monkeypatch.setattr(opening, "ReadingBudget", partial(ReadingBudget, entries=16))
    inner = zipped({f"{number}.py": b"" for number in range(5)})
    source = source_of(tmp_path, zipped({f"{name}.zip": inner for name in "abcd"}))
    assert [("c", "refused.many"), ("d.zip", "refused.many")] == refused(source)
    assert ["c/0.py", "c/1.py", "d.zip"] == [leaf.path for leaf in source.leaves][-3:]
    source = source_of(tmp_path, tarred({f"{number}.py": b"" for number in range(20)}))
    assert (16, [("", "refused.many")]) == (len(source.leaves), refused(source))


def test_what_archives_unpack_to_is_counted_over_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each alone may be small enough; those for which there is no room stay files."""
    inner = zipped({"a.py": b"1", "v.bin": bytes(MAX_FILE_BYTES)}, zipfile.ZIP_STORED)
    monkeypatch.setattr(
        opening, "ReadingBudget", partial(ReadingBudget, unpacked_bytes=2 * len(inner))
    )
    source = source_of(tmp_path, zipped({f"{name}.zip": inner for name in "abcd"}))
    assert [("c.zip", "refused.bomb"), ("d.zip", "refused.bomb")] == refused(source)
    assert ["a/a.py", "a/v.bin", "b/a.py", "b/v.bin", "c.zip", "d.zip"] == [
        leaf.path for leaf in source.leaves
    ]


@pytest.mark.parametrize("mode", TAR_MODES[1:])
def test_a_compressed_tar_is_unpacked_as_far_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    """What comes before is read; that there is more is told."""
    monkeypatch.setattr(
        opening, "ReadingBudget", partial(ReadingBudget, unpacked_bytes=3 * MAX_FILE_BYTES)
    )
    files = {"a.py": b"1", "b.bin": bytes(5 * MAX_FILE_BYTES), "c.py": b"2"}
    source = source_of(tmp_path, tarred(files, mode))
    assert ["a.py", "b.bin"] == [leaf.path for leaf in source.leaves]
    assert {"b.bin": "refused.large"} == trouble(source)
    assert [("", "refused.bomb")] == refused(source)


def test_a_compressed_tar_may_not_grow_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What unpacks to a thousand times its size is no class of students."""
    monkeypatch.setattr(tars, "_RATIO_COUNTS_FROM", MAX_FILE_BYTES)
    source = source_of(tmp_path, tarred({"b.bin": bytes(5 * MAX_FILE_BYTES), "c.py": b""}, "w:xz"))
    assert [("", "refused.bomb")] == refused(source)


def test_a_compressed_tar_is_kept_as_far_as_there_is_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is too large to be anybody's work takes none."""
    monkeypatch.setattr(opening, "ReadingBudget", partial(ReadingBudget, kept_bytes=1000))
    files = {
        "v.mp4": bytes(2 * MAX_FILE_BYTES),
        "a.py": b"1" * 900,
        "b.py": b"2" * 900,
        "c.py": b"3",
    }
    source = source_of(tmp_path, tarred(files, "w:gz"))
    assert {"v.mp4": "refused.large", "b.py": "refused.total"} == trouble(source)


def test_a_stream_that_asks_for_much_memory_is_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An xz stream may say that it needs gigabytes; it gets what `xz -9` needs."""
    monkeypatch.setattr(unpacking, "_XZ_MEMORY_BYTES", 1024**2)
    source = source_of(tmp_path, tarred({"a.py": b"1"}, "w:xz"), "class.tar.xz")
    assert ((), [("", "refused.damaged_archive")]) == (source.leaves, refused(source))
    assert lzma.PRESET_DEFAULT < 9, "the default of Python asks for 8 MiB"


def test_a_stream_of_nothing_is_damaged(tmp_path: Path) -> None:
    """Millions of streams that are empty take time, and give nothing to count."""
    packed = bz2.compress(b"") * 100_000
    assert ["a.bz2"] == [leaf.path for leaf in source_of(tmp_path, packed, "a.bz2").leaves]
    source = source_of(tmp_path, bz2.compress(tarred({"a.py": b"1"})[:1024]) + packed)
    assert {"a.py": b"1"} == contents(source)
    assert [("", "refused.damaged_archive")] == refused(source)


@pytest.mark.parametrize("make", [zipped, tarred])
def test_an_archive_of_one_student_has_its_own_bound(
    tmp_path: Path, make: Callable[[Files], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who packs a hundred thousand files takes no time of the class, and nobody's room."""
    monkeypatch.setattr(listing, "MAX_NESTED_ENTRIES", 3)
    many = make({f"{number}.py": b"1" for number in range(9)})
    source = source_of(tmp_path, zipped({"ann.zip": many, "bob.py": b"1", "cas.py": b"2"}))
    kept = ["ann/0.py", "ann/1.py", "ann/2.py", "bob.py", "cas.py"]
    assert kept == [leaf.path for leaf in source.leaves]
    assert [("ann", "refused.many")] == refused(source)


@pytest.mark.parametrize("make", [zipped, tarred])
def test_folders_in_folders_end(tmp_path: Path, make: Callable[[Files], bytes]) -> None:
    """A path of hundreds of folders is nobody's."""
    deep = "a/" * MAX_LEVELS
    source = source_of(tmp_path, make({f"{deep}x.py": b"1", f"{deep}a/y.py": b"2"}))
    assert {f"{deep}x.py": b"1"} == contents(source)
    assert [(f"{deep}a/y.py", "refused.deep")] == refused(source)


@pytest.mark.parametrize("is_whole", [True, False])
def test_places_that_no_file_has_are_damage(tmp_path: Path, is_whole: bool) -> None:
    """A zip has eight bytes for a place, which is more than any system can go to."""
    extra = struct.pack("<2H3Q", 1, 24, 1, 2**64 - 1, 2**64 - 2)
    made = bytearray(raw_zip({b"a.py": b"1"}, extra=extra))
    for start, field in ((b"PK\1\2", 20), (b"PK\1\2", 42), (b"PK\3\4", 18)):
        place = made.index(start) + field
        made[place : place + 4] = b"\xff" * 4
    source = source_of(tmp_path, bytes(made if is_whole else made[:-22]))
    assert {"a.py": "refused.damaged"} == trouble(source) or not is_whole
    huge = tarfile.TarInfo("huge")
    huge.size = 2**70
    source = source_of(tmp_path, tarred({"a.py": b"1"})[:1024] + huge.tobuf(tarfile.GNU_FORMAT))
    assert ["a.py", "huge"] == [leaf.path for leaf in source.leaves]
    assert [("", "refused.damaged_archive")] == refused(source)


def test_more_of_a_file_may_be_long(tmp_path: Path) -> None:
    """What stands behind is not looked at."""
    extra = struct.pack("<2H", 0xCAFE, 0) * 10_000
    assert {"a.py": b"1"} == contents(source_of(tmp_path, raw_zip({b"a.py": b"1"}, extra=extra)))


@pytest.mark.parametrize("kind", [b"L", b"x"])
def test_headers_of_a_tar_are_small(tmp_path: Path, kind: bytes) -> None:
    """A name of gigabytes is not read."""
    long = tarfile.TarInfo("long")
    long.type, long.size = kind, 1 << 33
    made = tarred({"a.py": b"1"})[:1024] + long.tobuf(tarfile.GNU_FORMAT) + b"x" * 4096
    source = source_of(tmp_path, made)
    assert {"a.py": b"1"} == contents(source)
    assert [("", "refused.damaged_archive")] == refused(source)


@pytest.mark.parametrize("pack", [bytes, lzma.compress])
@pytest.mark.parametrize("size", [b"-1", b"-2"])
def test_headers_of_a_tar_have_no_negative_size(
    tmp_path: Path, pack: Callable[[bytes], bytes], size: bytes
) -> None:
    """Octal digits with a sign are damage, and not the rest of the file."""
    long = tarfile.TarInfo("long")
    long.type = b"L"
    block = bytearray(long.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = size.ljust(12, b"\0")
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    made = tarred({"a.py": b"1"})[:1024] + bytes(block) + b"x" * 4096
    source = source_of(tmp_path, pack(made))
    assert {"a.py": b"1"} == contents(source)
    assert [("", "refused.damaged_archive")] == refused(source)


@pytest.mark.parametrize(
    "record",
    [
        b"6 a=b\n" * 200,
        b"0 a=b\n",
        b"99999 path=x\n",
        b"x path=y\n",
        b"9 size=x\n",
        b"10 size=-5\n",
        b"1" * 400,
    ],
)
def test_records_of_a_tar_that_say_nothing_are_damage(tmp_path: Path, record: bytes) -> None:
    """Neither their lengths nor their numbers are taken at their word."""
    said = tarfile.TarInfo("said")
    said.type, said.size = b"x", len(record)
    start = said.tobuf(tarfile.USTAR_FORMAT) + record.ljust(-len(record) % 512 + len(record), b"\0")
    source = source_of(tmp_path, start + tarred({"a.py": b"1"}))
    assert ((), [("", "refused.damaged_archive")]) == (source.leaves, refused(source))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (-10, b"\xff\xff\xff\xff"),
        (-6, b"\xff\xff\xff\xff"),
        (-12, b"\xff\xff"),
        (-6, b"\0\0\0\x7f"),
    ],
)
def test_a_table_that_lies_is_done_without(tmp_path: Path, place: int, value: bytes) -> None:
    """Counts, sizes and places that cannot be are not believed."""
    made = bytearray(zipped({"a.py": b"1", "b.py": b"2"}))
    made[place : len(made) + place + len(value)] = value
    source = source_of(tmp_path, bytes(made))
    assert {"a.py": b"1", "b.py": b"2"} == contents(source)


ORDINARY: Final = {"An/akari.py": b"x = 1\n" * 50, "b.txt": b"hallo", "leeg/": b""}
MADE: Final = (
    *(zipped(ORDINARY), streamed(ORDINARY)),
    *(tarred(ORDINARY, mode) for mode in TAR_MODES),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_no_damage_breaks_anything(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever bytes change or go, listing ends, and a leaf is read or says why not."""
    made = bytearray(data.draw(st.sampled_from(MADE)))
    for _ in range(data.draw(st.integers(0, 8))):
        made[data.draw(st.integers(0, len(made) - 1))] = data.draw(st.integers(0, 255))
    source = source_of(tmp_path, bytes(made[: data.draw(st.integers(1, len(made)))]))
    trouble(source)
    for leaf in source.leaves:
        assert all(part not in {"", ".", ".."} for part in leaf.path.split("/"))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=600), st.sampled_from([b"PK\3\4", b"PK\5\6", b"\x1f\x8b\x08", b"BZh9"]))
def test_no_bytes_break_anything(tmp_path: Path, data: bytes, magic: bytes) -> None:
    """What only begins like an archive is damaged, or a file."""
    trouble(source_of(tmp_path, magic + data))
