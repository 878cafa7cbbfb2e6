"""What executors import is compiled once, and only what fits its source is believed."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from grader.sandbox.byte_code import compile_executor
from grader.sandbox.zygote import PACKAGE_ROOT, Zygote

_TAG: Final = sys.implementation.cache_tag
_HASHED: Final = py_compile.PycInvalidationMode.CHECKED_HASH


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    """A copy of what executors import, nowhere compiled, and asked about for the first time."""
    ours, copy = Path(PACKAGE_ROOT) / "grader", tmp_path / "grader"
    bare = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ours / "executor", copy / "executor", ignore=bare)
    for name in ("__init__.py", "protocol.py"):
        shutil.copy2(ours / name, copy / name)
    compile_executor.cache_clear()
    yield copy
    compile_executor.cache_clear()


def compiled(source: Path) -> Path:
    """Return where Python looks for the byte code of `source`."""
    return source.parent / "__pycache__" / f"{source.stem}.{_TAG}.pyc"


def taken_from_source(package: Path) -> list[str]:
    """Return the files of `package` that an interpreter as zygotes have it compiles for itself."""
    done = subprocess.run(
        [sys.executable, "-v", "-P", "-S", "-B", "-c", "import grader.executor.zygote"],
        env={"PYTHONPATH": str(package.parent)},
        capture_output=True,
        text=True,
        check=True,
    )
    begin = f"# code object from {package}"
    return [line for line in done.stderr.splitlines() if line.startswith(begin)]


def test_a_zygote_compiles_nothing(package: Path) -> None:
    """What was never compiled is so afterwards, whole, and where interpreters look for it."""
    assert any("session.py" in line for line in taken_from_source(package))
    compile_executor(str(package))
    assert [] == taken_from_source(package)
    left = [path.name for path in package.rglob("__pycache__/*") if path.suffix != ".pyc"]
    assert [] == left


def test_what_changed_is_compiled_anew(package: Path) -> None:
    """Byte code of an older source, or of another Python, is replaced; the rest is left alone."""
    compile_executor(str(package))
    stale, foreign, kept = (
        package / "executor" / f"{n}.py" for n in ("session", "rlimits", "kernel")
    )
    stale.write_text(stale.read_text() + "\nCHANGED = True\n")
    compiled(foreign).write_bytes(b"\0\0\r\n" + compiled(foreign).read_bytes()[4:])
    before = compiled(kept).stat().st_ino
    compile_executor.cache_clear()
    compile_executor(str(package))
    assert [] == taken_from_source(package)
    assert b"CHANGED" in compiled(stale).read_bytes()
    assert before == compiled(kept).stat().st_ino


def test_byte_code_that_asks_its_hash_is_left_alone(package: Path) -> None:
    """Who builds a package so that its files are the same each time finds them as they were."""
    source = package / "executor" / "session.py"
    py_compile.compile(str(source), str(compiled(source)), invalidation_mode=_HASHED)
    before = compiled(source).read_bytes()
    compile_executor(str(package))
    assert before == compiled(source).read_bytes()


def test_nobody_else_may_write_there(package: Path) -> None:
    """A careless umask makes byte code writable for nobody for whom the source is not."""
    os.chmod(package / "executor" / "session.py", 0o644)
    before = os.umask(0)
    try:
        compile_executor(str(package))
    finally:
        os.umask(before)
    made = compiled(package / "executor" / "session.py")
    assert (0o755, 0o644) == (made.parent.stat().st_mode & 0o777, made.stat().st_mode & 0o777)


def test_where_nothing_can_be_written_it_goes_without(package: Path) -> None:
    """A folder that takes nothing, and a source that does not compile, are no mistake here."""
    (package / "executor" / "__pycache__").touch()
    compile_executor(str(package))
    assert any("session.py" in line for line in taken_from_source(package))
    (package / "executor" / "__pycache__").unlink()
    (package / "executor" / "session.py").write_text("def")
    compile_executor.cache_clear()
    compile_executor(str(package))


def test_zygotes_have_it_compiled(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts a zygote compiles what it imports."""
    monkeypatch.setattr("grader.sandbox.zygote.PACKAGE_ROOT", str(package.parent))
    with Zygote():
        assert compiled(package / "executor" / "zygote.py").exists()
