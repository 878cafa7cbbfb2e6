"""`grader site`: what it puts together, without a browser."""

from __future__ import annotations

import hashlib
import io
import json
import marshal
import os
import tarfile
import zipfile
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import Any, Final

import pydantic
import pytest
from click.testing import CliRunner

from grader.errors import HostError
from grader.judging.calls import CallEvidence
from grader.judging.rules import KINDS
from grader.plugins.kit.data import decode, encode
from grader.plugins.site import pyodide
from grader.plugins.site.assembling import exercise_files
from grader.plugins.site.checking import TypeAdapter
from grader.plugins.site.codemirror import PACKAGES, bundle_modules
from grader.plugins.site.compiling import compile_archive
from grader.plugins.site.npm import NpmPackage, provide
from grader.plugins.site.pages import absent_packages, exercise_page, index_page
from grader.plugins.site.pyodide import PACKAGE
from grader.plugins.site.verb import command
from grader.sandbox.survey import Survey, decode_survey
from grader.suite.exercises import find_suite
from grader.suite.model import Suite
from grader.verdict import Visibility

ROOT: Final = Path(__file__).parents[3]
CALLS: Final[dict[str, Any]] = {
    "sites": [["m.f:1", 3, 2, 2], ["m.g:9", 1, 0, 1]],
    "edges": [["m.f:1", "m.g:9"]],
    "cuts": 0,
    "spread": [[1, 2]],
}
SURVEY: Final[dict[str, Any]] = {
    "constructs": [["for", ["m", 1, 1, 1, 9], "m.f", False]],
    "functions": [
        ["m.f", ["m", 1, 1, 2, 5], [["n", "positional", True]], True, 2, 0, ["m.g"], []],
    ],
    "imports": [],
    "too_new": [["match", [3, 10], ["m", 4, 1, 4, 6]]],
    "repeated": [],
    "suspicious": [],
    "starts": {"m": ["m.f"]},
    "unnamed": [],
    "definitions": [],
    "unparsed": {},
    "was_clipped": False,
}


def suite(exercise: str) -> Suite:
    """Return the suite of one of the exercises that are here."""
    return find_suite(exercise, ROOT / "testsuites", KINDS)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("sites", [["m.f:1", 3, 2]]),
        ("sites", [["m.f:1", "3", 2, 2]]),
        ("sites", [["m.f:1", -1, 2, 2]]),
        ("sites", [[1, 3, 2, 2]]),
        ("sites", [["x", 1, 1, 1]] * 400),
        ("edges", [["m.f:1"]]),
        ("cuts", True),
        ("cuts", None),
    ],
)
def test_calls_of_another_shape_are_refused(key: str, value: object) -> None:
    """What pydantic refuses of calls that were seen a browser refuses, and it reads the others."""
    assert pydantic.TypeAdapter(CallEvidence).validate_python(CALLS) == TypeAdapter(
        CallEvidence
    ).validate_python(CALLS)
    for adapter in (pydantic.TypeAdapter(CallEvidence), TypeAdapter(CallEvidence)):
        with pytest.raises(ValueError, match=r"."):
            adapter.validate_python({**CALLS, key: value})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("constructs", [["for", ["other", 1, 1, 1, 9], "m.f", False]]),
        ("constructs", [["unknown", ["m", 1, 1, 1, 9], "m.f", False]]),
        ("constructs", [["for", ["m", 1, 1, 1, 9], "m.f", 0]]),
        ("functions", [["m.f", ["m", 1, 1, 2, 5]]]),
        ("starts", [["m", ["m.f"]]]),
        ("definitions", [["f", ["m", 1, 1, 2, 5], "not a digest"]]),
        ("more", []),
    ],
)
def test_surveys_of_another_shape_are_refused(
    monkeypatch: pytest.MonkeyPatch, key: str, value: object
) -> None:
    """A survey is read in a browser as it is here, and one of another shape is none."""
    expected = decode_survey(SURVEY, ["m"])
    monkeypatch.setattr("grader.sandbox.survey._adapter", lambda: TypeAdapter(Survey))
    assert expected == decode_survey(SURVEY, ["m"])
    with pytest.raises(Exception, match="malformed survey"):
        decode_survey({**SURVEY, key: value}, ["m"])


def test_modules_are_compiled() -> None:
    """What is not a module stays as it is; modules are code that asks for no source."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as opened:
        opened.writestr("a/b.py", "answer = 42\n")
        opened.writestr("a/text.txt", "as it is")
    with zipfile.ZipFile(io.BytesIO(compile_archive(archive.getvalue()))) as made:
        assert ["a/b.pyc", "a/text.txt"] == made.namelist()
        assert b"as it is" == made.read("a/text.txt")
        data = made.read("a/b.pyc")
    assert data.startswith(MAGIC_NUMBER)
    names: dict[str, object] = {}
    exec(marshal.loads(data[16:]), names)
    assert 42 == names["answer"]


def test_another_package_is_refused(tmp_path: Path) -> None:
    """Only the one version is taken whose hashes are known, and the way out is told."""
    (tmp_path / "index.js").write_bytes(b"something else")
    with tarfile.open(tmp_path / PACKAGE.archive, "w:gz") as archive:
        for name in PACKAGE.digests:
            archive.add(tmp_path / "index.js", f"package/{name}")
    with pytest.raises(HostError, match=r"is not that of pyodide@"):
        provide([PACKAGE], tmp_path)
    done = CliRunner().invoke(command, [str(tmp_path / "out"), "--packages", str(tmp_path)])
    assert isinstance(done.exception, HostError)
    assert "--packages" in str(done.exception.help)


def test_packages_come_from_archives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What `npm pack` has made is unpacked into the cache, and checked there each time."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))
    digest = hashlib.sha256(b"let a;").hexdigest()
    package = NpmPackage(name="@some/thing", version="1.0.0", digests={"dist/a.js": digest})
    (tmp_path / "a.js").write_bytes(b"let a;")
    with tarfile.open(tmp_path / "some-thing-1.0.0.tgz", "w:gz") as archive:
        archive.add(tmp_path / "a.js", "package/dist/a.js")
    provide([package], tmp_path)
    assert {"dist/a.js": b"let a;"} == package.files()
    provide([package])  # it is there: npm is not asked
    (package.folder / "dist/a.js").write_bytes(b"let b;")
    with pytest.raises(HostError, match=r"is not that of @some/thing@1\.0\.0"):
        package.files()


def test_without_npm_the_way_out_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where npm is not there, it is said what else would do."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    with pytest.raises(HostError, match="npm is not installed") as refused:
        provide(PACKAGES)
    assert "npm pack @marijn/find-cluster-break@" in str(refused.value.help)


def test_compiling_that_takes_too_long_is_an_error_of_the_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Node.js is stopped, and the author reads a sentence."""
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(pyodide, "_WALL_S", 0.1)
    monkeypatch.setattr(NpmPackage, "files", lambda _: {})
    with pytest.raises(HostError, match=r"could not compile .* no result within"):
        pyodide.Pyodide().compile_archive(b"")


def test_how_to_names_all_packages() -> None:
    """Who has no npm copies a command that packs what is needed, in these versions."""
    how_to = (ROOT / "docs/how-to/site.md").read_text("utf-8")
    packed = how_to.partition("npm pack ")[2].partition("```")[0].replace("\\", "").split()
    assert [package.spec for package in (PACKAGE, *PACKAGES)] == packed


def test_each_module_has_what_it_imports() -> None:
    """Modules become functions that are called at once, each with what those before it gave."""
    modules = {
        "a": "export default function a() {}\nexport class B {}\nlet c;\nexport { c as d };\n",
        "b": "import a from 'a';\nimport { B, d as e } from 'a';\nexport { B } from 'a';\n",
    }
    lines = bundle_modules(modules).splitlines()
    assert "export" not in "".join(lines)
    assert "return { default: a, B: B, d: c };" in lines
    assert 'const { default: a } = modules["a"];' in lines
    assert 'const { B: B, d: e } = modules["a"];' in lines
    assert "return { B: B };" in lines


def test_module_of_another_shape_is_refused() -> None:
    """A new version that imports or exports in another way is found when the site is made."""
    for text in (
        "import * as b from 'a';\n",
        "export * from 'a';\n",
        "import {\n  a\n} from 'a';\n",
    ):
        with pytest.raises(AssertionError, match="has an import or export in an unknown notation"):
            bundle_modules({"b": text})


def test_what_needs_a_package_is_left_out() -> None:
    """No page is made of what no browser can run; the index says why."""
    triomino = suite("triomino")
    assert "numpy" == absent_packages(triomino)
    page = index_page([triomino, suite("yinyang")], "en")
    assert "numpy" in page
    assert 'href="yinyang.html"' in page
    assert "triomino.html" not in page


def test_page_of_one_file_reaches_no_network() -> None:
    """A page with everything in it may connect to nothing; one of a folder to its own server."""
    yinyang = suite("yinyang")
    alone = exercise_page(yinyang, b"let b;", {"a.js": b"let a;"})
    assert "connect-src 'none'" in alone
    assert 'id="asset a.js"' in alone
    assert "connect-src 'self'" in exercise_page(yinyang, b"let b;")


class Uncompiled:
    """Leaves archives as they are."""

    def compile_archive(self, archive: bytes) -> bytes:
        """Return the archive."""
        return archive


def test_suite_travels_as_it_is() -> None:
    """A page has the public suite, but for advice, which takes a program that no browser runs."""
    files = exercise_files(suite("yinyang"), Uncompiled())  # type: ignore[arg-type]
    assert {"judge-nl.zip", "yinyang.json"} == files.keys()
    travelled = decode(json.loads(files["yinyang.json"]))
    assert encode(suite("yinyang").with_changes(advice=False)) == encode(travelled)


def test_what_students_may_not_see_stays_here() -> None:
    """A session for staff travels to nobody, nor does a group that has no other cases."""
    yinyang = suite("yinyang")
    first, *others = yinyang.sessions
    secret = yinyang.with_changes(
        sessions=(first.with_changes(visibility=Visibility.STAFF), *others)
    )
    data = exercise_files(secret, Uncompiled())["yinyang.json"]  # type: ignore[arg-type]
    travelled = decode(json.loads(data))
    assert encode(tuple(others)) == encode(travelled.sessions)
    assert {case.group for each in others for case in each.cases} == {
        group.id for group in travelled.groups
    }
