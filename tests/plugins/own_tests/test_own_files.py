"""Files that lie beside an instructor's own tests: a submission reads those that it was handed."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from command_line import write
from own_tests import make_folders, summary, verdicts

pytestmark = pytest.mark.own_tests

SUBMISSION: Final = """\
import os
def read(path):
    with open(path) as file: return file.read()
def beside(path, name): return os.path.join(os.path.dirname(path), name)
def total(folder):
    return sum(int(read(os.path.join(folder, name))) for name in sorted(os.listdir(folder)))
def spoil(path):
    with open(path, "w") as file: file.write("spoilt")
    return read(path)
def remove(path):
    os.remove(path)
    return os.path.exists(path)
def show(text): print(text)
def move(folder): os.chdir(folder)
"""
TESTS: Final = """\
import os
from pathlib import Path
import pytest, sol

HERE = Path(__file__).parent
GIVEN = HERE / "given.txt"

def test_path(): assert sol.read(GIVEN) == "1"
def test_text(): assert sol.read(str(GIVEN)) == "1"
def test_name(monkeypatch):
    monkeypatch.chdir(HERE)
    assert sol.read("./given.txt") == sol.read(os.path.join("numbers", "a.txt")) == "1"
def test_folder(): assert sol.total(HERE / "numbers") == 3
def test_neighbour():
    assert sol.read(GIVEN) == "1"
    with pytest.raises(FileNotFoundError): sol.read(sol.beside(str(GIVEN), "expected.txt"))
def test_printed(capsys):
    assert sol.read(GIVEN) == "1"
    sol.show(sol.beside(str(GIVEN), "expected.txt"))
    with pytest.raises(FileNotFoundError): sol.read(capsys.readouterr().out.strip())
def test_code():
    with pytest.raises(FileNotFoundError): sol.read(__file__)
def test_outside():
    with pytest.raises(FileNotFoundError): sol.read(HERE.parent / "secret.txt")
def test_spoil():
    assert sol.spoil(GIVEN) == "spoilt"
    assert sol.total(HERE / "numbers") == 3
    assert sol.spoil(HERE / "numbers" / "new.txt") == "spoilt"
    assert sol.read(GIVEN) == "spoilt"
    assert sol.remove(GIVEN) is False
    assert GIVEN.read_text() == "1"
    assert len(list(HERE.glob("numbers/*"))) == 2
def test_move(tmp_path):
    try: sol.move(tmp_path)
    except PermissionError: pass
def test_nowhere():
    with pytest.raises(FileNotFoundError): sol.move("nowhere")
"""


def test_what_is_handed_over_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its path or by that of its folder; never what a submission has named first, or code."""
    make_folders(tmp_path, monkeypatch)
    write("handed/sol.py", SUBMISSION)
    write("tests/test_sol.py", TESTS)
    for name in ("given", "numbers/a", "expected"):
        write(f"tests/{name}.txt", "1")
    write("tests/numbers/b.txt", "2")
    write("secret.txt", "secret")
    found = verdicts(summary("tests", "--submission=handed"))
    assert "FORBIDDEN" == found.pop("test_move"), "it is no mistake, and can be nothing else here"
    assert set(found.values()) == {"PASSED"}, found
