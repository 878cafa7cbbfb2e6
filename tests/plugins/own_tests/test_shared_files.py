"""Files that tests share with a submission: those in the temporary folders of the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.plugins.own_tests.bridge.wire import Malformed
from grader.plugins.own_tests.proxying.files import SharedFiles


@pytest.fixture
def shared(tmp_path: Path) -> SharedFiles:
    """What lies in `inside` is shared."""
    (tmp_path / "inside").mkdir()
    (tmp_path / "secret.txt").write_text("secret")
    return SharedFiles(lambda: [tmp_path / "inside"], (), lambda _: False)


def test_files_and_folders_are_found(shared: SharedFiles, tmp_path: Path) -> None:
    """A file has its bytes, a folder its names; a name alone counts from the current folder."""
    (tmp_path / "inside" / "a.txt").write_text("a")
    assert b"a" == shared.read(str(tmp_path / "inside" / "a.txt"))
    assert ("a.txt",) == shared.read(str(tmp_path / "inside"))
    assert shared.read(str(tmp_path / "inside" / "b.txt")) is None


def test_a_name_alone_counts_from_the_current_folder(
    shared: SharedFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a test has moved into a shared folder, that is where `open("a.txt")` looks."""
    monkeypatch.chdir(tmp_path / "inside")
    shared.write([["a.txt", b"new".hex()]])
    assert b"new" == shared.read("a.txt")
    monkeypatch.chdir(tmp_path)
    assert shared.read("secret.txt") is None


def test_nothing_else_is_found_or_written(shared: SharedFiles, tmp_path: Path) -> None:
    """Neither by its path, nor by a way out of the folder, nor through a link."""
    inside, secret = tmp_path / "inside", tmp_path / "secret.txt"
    (inside / "link").symlink_to(secret)
    for path in (str(secret), f"{inside}/../secret.txt", f"{inside}/link", f"{inside}\0", 1):
        assert shared.read(path) is None
    for path in (str(secret), f"{inside}/../secret.txt", f"{inside}/link"):
        shared.write([[path, b"x".hex()]])
    assert "secret" == secret.read_text()


@pytest.mark.parametrize("told", ["x", [["a"]], [["a", 1]], [["a", "zz"]], [["a", ""]] * 101])
def test_files_of_no_shape_are_malformed(shared: SharedFiles, told: object) -> None:
    """What is written comes as pairs of a path and hexadecimal text."""
    with pytest.raises(Malformed):
        shared.write(told)


@pytest.mark.parametrize("name", ["x" * 300, "\ud800", "a.txt/b"])
def test_names_that_no_file_can_have_are_nothing(
    shared: SharedFiles, tmp_path: Path, name: str
) -> None:
    """Whoever writes or removes such a file finds nothing there, and the tests go on."""
    (tmp_path / "inside" / "a.txt").write_text("a")
    path = f"{tmp_path}/inside/{name}"
    shared.write([[path, b"x".hex()], [path, None]])
    assert shared.read(path) is None
    assert "a" == (tmp_path / "inside" / "a.txt").read_text()


def test_code_of_the_tests_is_nobodys_business(tmp_path: Path) -> None:
    """Whether it runs or not, compiled or not, and by whatever link somebody gets there."""
    tests = tmp_path / "tests"
    (tests / "__pycache__").mkdir(parents=True)
    code = ("test_a.py", "helper.pyc", "__pycache__/test_a.cpython-311.pyc")
    for name in (*code, "data.txt"):
        (tests / name).write_text("1")
    (tmp_path / "link").symlink_to(tests)
    (tests / "other.txt").symlink_to(tests / "test_a.py")
    shared = SharedFiles(list, [tmp_path / "link"], lambda _: True)
    for folder in (tests, tmp_path / "link"):
        assert b"1" == shared.read(str(folder / "data.txt"))
        assert ("data.txt", "other.txt") == shared.read(str(folder))
        found = [shared.read(str(folder / name)) for name in (*code, "other.txt", "__pycache__")]
        assert [None] * 5 == found
