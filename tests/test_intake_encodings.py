"""Hand-ins in any encoding: each sequence of bytes becomes text."""

from __future__ import annotations

from pathlib import Path

import pytest
from handed_in import put, taken
from hypothesis import example, given
from hypothesis import strategies as st

from grader.intake.submission import decode_source
from grader.reporting.wording import LANGUAGES, format_message


@pytest.mark.parametrize(
    ("data", "text", "encoding", "remark"),
    [
        (b"", "", "utf-8", None),
        (b"a = 1\n", "a = 1\n", "utf-8", None),
        ("é = 1\n".encode(), "é = 1\n", "utf-8", None),
        (b"a\r\nb\r\n", "a\nb\n", "utf-8", None),
        (b"a\rb\r", "a\nb\n", "utf-8", None),
        (b"\xef\xbb\xbfa\n", "a\n", "utf-8-sig", None),
        (b"\xef\xbb\xbf# coding: latin-1\n\xc3\xa9", "# coding: latin-1\né", "utf-8-sig", None),
        (b"# coding: latin-1\n\xe9", "# coding: latin-1\né", "iso8859-1", "remark.legacy"),
        (b"#!x\n# -*- coding: cp1252 -*-\n\x80", "€", "cp1252", "remark.legacy"),
        (b"#\r\n# vim: set fileencoding=iso-8859-15 :\r\n\xa4", "€", "iso8859-15", "remark.legacy"),
        (b"a\nb\n# coding: latin-1\n\xc3\xa9", "é", "utf-8", None),
        (b"a = 1\n# coding: latin-1\n\xc3\xa9", "é", "utf-8", None),
        (b"a = 'caf\xe9'\n", "a = 'café'\n", "cp1252", "remark.encoding"),
        (b"a\nb\xe9\n", "bé\n", "cp1252", "remark.encoding"),
        (b"\x81\xe9", "\x81é", "latin-1", "remark.encoding"),
        (b"# coding: ascii\n\xc3\xa9", "é", "utf-8", None),
        (b"# coding: ascii\n\xe9", "é", "cp1252", "remark.encoding"),
        (b"# coding: cp1252\n\x81", "\x81", "latin-1", "remark.encoding"),
        (b"# coding: klingon\na", "a", "utf-8", "remark.coding"),
        (b"# coding: rot13\nn", "n", "utf-8", "remark.coding"),
        (b"# coding: zlib\na\xe9", "aé", "cp1252", "remark.coding"),
        (b"# coding: utf-16\na", "a", "utf-8", "remark.coding"),
        (b"# coding: " + b"x" * 5000 + b"\na", "a", "utf-8", "remark.coding"),
        ("a = 'é'\n".encode("utf-16"), "a = 'é'\n", "utf-16", "remark.wide"),
        (b"\xfe\xff\x00a\x00\r\x00\n", "a\n", "utf-16", "remark.wide"),
        (b"\xff\xfea", "\ufffd", "utf-16", "remark.wide"),
        ("a = 'é'\n".encode("utf-32"), "a = 'é'\n", "utf-32", "remark.wide"),
        (b"\0\0\xfe\xff" + "a\r\n".encode("utf-32-be"), "a\n", "utf-32", "remark.wide"),
        (b"\xff\xfe\0\0a", "\ufffd", "utf-32", "remark.wide"),
        (b"a\x00b", "a\x00b", "utf-8", None),
        (b"\x00" * 9, "\x00" * 9, "utf-8", None),
    ],
)
def test_encoding(data: bytes, text: str, encoding: str, remark: str | None) -> None:
    """Text is what its author saw; what Python itself would refuse has a remark."""
    decoded = decode_source(data, "a.py")
    assert decoded.text.endswith(text)
    assert encoding == decoded.encoding
    assert remark == (decoded.remark and decoded.remark.key)
    if decoded.remark is not None:
        assert all(format_message(decoded.remark, language) for language in LANGUAGES)


def test_remark_about_bytes_names_the_line() -> None:
    """The first byte that is no UTF-8 is on line 3."""
    remark = decode_source(b"a\nb\nc = '\xe9'\n", "a.py").remark
    assert remark is not None
    assert (
        "a.py is not UTF-8 (line 3); Python itself would refuse it. It was read in an older"
        " encoding; save it as UTF-8."
    ) == format_message(remark, "en")


@pytest.mark.parametrize(("encoding", "said"), [("utf-16", "UTF-16"), ("utf-32", "UTF-32")])
def test_remark_about_a_wide_encoding_names_it(encoding: str, said: str) -> None:
    """The student reads what the file is, not what it looks like at first."""
    remark = decode_source("a = 1\n".encode(encoding), "a.py").remark
    assert remark is not None
    assert f"a.py is {said}; Python itself would refuse it. Save it as UTF-8." == format_message(
        remark, "en"
    )


@given(st.binary(max_size=60))
@example(b"\xff\xfe\x00\x00\x00\xd8\x00\x00\xff")
@example(b"# coding: \xff\n")
@example(b"\xff\xfe\x00\xd8")
@example(b"# coding: utf_8_sig\n\xe9")
@example(b"# coding: unicode_escape\n\\N{BEL}")
def test_every_sequence_of_bytes_is_decoded(data: bytes) -> None:
    """Whatever was handed in decodes to something, with plain newlines."""
    decoded = decode_source(data, "a.py")
    assert "\r" not in decoded.text


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\ufeff")))
def test_utf8_is_read_as_it_was_written(text: str) -> None:
    """A text in UTF-8 without a coding line comes through unchanged."""
    decoded = decode_source(b"#\n#\n" + text.encode(), "a.py")
    assert ("#\n#\n" + text, None) == (decoded.text, decoded.remark)


def test_remarks_about_helpers_name_the_helper(tmp_path: Path) -> None:
    """Each file of a submission is decoded by itself."""
    put(put(tmp_path, "akari.py"), "hulp.py", data=b"x = '\xe9'\n")
    (remark,) = taken(tmp_path).remarks
    assert format_message(remark, "en").startswith("hulp.py is not UTF-8 (line 1)")
