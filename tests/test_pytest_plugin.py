"""`pytest SUITE.yaml --submission FILE`: one item per case, and no student code in this process."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Final

import pytest

pytestmark = pytest.mark.commands

SUITE: Final = """\
exercise: sample
title: Sample
language: en
module: sample
defines: [double]
groups:
  - id: double
    points: 4
  - id: quad
    points: 2
sessions:
  - id: example
    steps:
      - do: double(2)
        returns: "4"
        group: double
      - do: double('a')
        returns: "'aa'"
        group: double
      - do: double(double(1))
        returns: "4"
        group: quad
"""
RIGHT: Final = "def double(x):\n    return 2 * x\n"
HALF: Final = "def double(x):\n    return 4 if x == 2 else 'nul\\0\\x1b[31m\\udcff]]>'\n"
IDS: Final = ["sample.yaml::double/1", "sample.yaml::double/2", "sample.yaml::quad/1"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the suite `sample.yaml`; it is a root of its own."""
    (tmp_path / "sample.yaml").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    monkeypatch.chdir(tmp_path)
    for variable in ("PYTEST_ADDOPTS", "PYTEST_XDIST_WORKER", "PYTEST_CURRENT_TEST"):
        monkeypatch.delenv(variable, raising=False)
    return tmp_path


def pytest_on(source: str | None, *args: str) -> subprocess.CompletedProcess[str]:
    """Run pytest on the suite, for a submission with `source` if there is one."""
    submission = []
    if source is not None:
        Path("mine.py").write_text(source)
        submission = ["--submission=mine.py"]
    environment = {key: text for key, text in os.environ.items() if not key.startswith("COV")}
    return subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "sample.yaml",
            "-p",
            "no:cacheprovider",
            *submission,
            *args,
        ],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )


def outcomes(path: str) -> dict[str, str]:
    """Return what the JUnit file at `path` says became of each case."""
    found = {}
    for case in ET.parse(path).getroot().iter("testcase"):
        kinds = [child.tag for child in case if child.tag in {"failure", "error", "skipped"}]
        found[str(case.get("name"))] = kinds[0] if kinds else "passed"
    return found


@pytest.mark.usefixtures("here")
def test_one_item_per_case() -> None:
    """Ids are the file of the suite and the id of the case; collecting runs nothing."""
    done = pytest_on("raise SystemExit\n", "--collect-only", "-q")
    assert 0 == done.returncode, done.stdout
    assert IDS == done.stdout.split("\n\n")[0].splitlines()


@pytest.mark.usefixtures("here")
def test_all_passed() -> None:
    """A submission without mistakes passes every item."""
    done = pytest_on(RIGHT, "-v")
    assert 0 == done.returncode, done.stdout
    assert "3 passed" in done.stdout
    assert re.search(r"^sample\.yaml::double/1 PASSED", done.stdout, re.MULTILINE)


@pytest.mark.usefixtures("here")
def test_verdicts_are_those_of_check() -> None:
    """Each item passes exactly when `grader check` says PASSED."""
    pytest_on(HALF, "--junitxml=junit.xml")
    checked = subprocess.run(
        [sys.executable, "-c", "from grader.cli.verbs import main; main()",
         "check", "--json", "mine.py", "--exercise", "sample.yaml"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    (entry,) = json.loads(checked.stdout)["submissions"]
    said = {case["id"]: case["verdict"] == "PASSED" for case in entry["cases"]}
    assert {"double/1": True, "double/2": False, "quad/1": False} == said
    assert said == {name: state == "passed" for name, state in outcomes("junit.xml").items()}


@pytest.mark.usefixtures("here")
def test_failure_is_our_explanation() -> None:
    """The session that shows the mistake, and no traceback of anything of ours."""
    done = pytest_on(HALF)
    assert 1 == done.returncode
    assert "sample: double/2" in done.stdout
    assert "double('a')" in done.stdout
    assert "'aa'" in done.stdout
    for ours in ("Traceback", "ItemFailure", "pytest_items.py", "runtest", "\x1b", "\0"):
        assert ours not in done.stdout


@pytest.mark.usefixtures("here")
def test_selection() -> None:
    """`-k`, `-x` and ids choose among the cases as among any tests."""
    assert "1 passed, 2 deselected" in pytest_on(RIGHT, "-k", "quad").stdout
    assert "1 failed, 1 passed" in pytest_on(HALF, "-x").stdout
    done = pytest_on(RIGHT, "--deselect", "sample.yaml::double/2")
    assert "2 passed, 1 deselected" in done.stdout


@pytest.mark.usefixtures("here")
def test_junit_is_xml_whatever_was_returned() -> None:
    """A NUL, an escape and half a surrogate in a value leave a file that parses."""
    pytest_on(HALF, "--junitxml=junit.xml")
    assert {"double/1": "passed", "double/2": "failure", "quad/1": "failure"} == outcomes(
        "junit.xml"
    )
    assert not re.search(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]", Path("junit.xml").read_bytes())
    properties = {
        (case.get("name"), one.get("name")): one.get("value")
        for case in ET.parse("junit.xml").getroot().iter("testcase")
        for one in case.iter("property")
    }
    assert ("2.0", "0.0") == (properties["double/1", "points"], properties["double/2", "points"])
    assert "2.0" == properties["double/2", "max_points"]


@pytest.mark.usefixtures("here")
def test_side_by_side() -> None:
    """Spread over processes by xdist, the verdicts are the same."""
    done = pytest_on(HALF, "-n", "2", "--junitxml=junit.xml")
    assert 1 == done.returncode, done.stdout
    assert {"double/1": "passed", "double/2": "failure", "quad/1": "failure"} == outcomes(
        "junit.xml"
    )


@pytest.mark.usefixtures("here")
def test_invalid_suite_is_an_error_of_collection() -> None:
    """Every mistake of the suite is shown with its place, without a traceback."""
    text = SUITE.replace("title:", "titel:").replace("'aa'", "'aa")
    Path("sample.yaml").write_text(text)
    done = pytest_on(RIGHT)
    assert 2 == done.returncode
    assert "ERROR sample.yaml" in done.stdout
    assert "error: unknown key 'titel' (did you mean 'title'?)" in done.stdout
    assert "sample.yaml:2:1" in done.stdout
    assert re.search(r"sample\.yaml:1[78]:", done.stdout)
    assert "Traceback" not in done.stdout
    assert "pytest_items.py" not in done.stdout


@pytest.mark.usefixtures("here")
def test_without_a_submission_yaml_is_nothing() -> None:
    """Whoever has the grader installed sees nothing of it in other runs."""
    done = pytest_on(None)
    assert 5 == done.returncode or "no tests ran" in done.stdout or "not found" in done.stderr
    assert "double/1" not in done.stdout


@pytest.mark.usefixtures("here")
def test_suite_that_is_not_named_is_not_collected() -> None:
    """YAML files that merely lie about are no suites."""
    Path("other.yaml").write_text("- just: data\n")
    Path("mine.py").write_text(RIGHT)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", ".", "--submission=mine.py", "-q"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 5 == done.returncode, done.stdout


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("source", ["def double(x)\n", "", "import nothing_like_it\n"])
def test_ungradable_submission_fails_every_item(source: str) -> None:
    """What cannot be run passes nothing."""
    done = pytest_on(source)
    assert 1 == done.returncode
    assert "3 failed" in done.stdout
    assert "Not tried, because nothing in this submission can be run." in " ".join(
        done.stdout.split()
    )


@pytest.mark.usefixtures("here")
def test_missing_submission_is_told() -> None:
    """A wrong path fails each item with our message and the way out."""
    done = pytest_on(None, "--submission=nowhere.py")
    assert 1 == done.returncode
    assert "error: no such file or folder: nowhere.py" in done.stdout
    assert "= help: name the folder that holds one file or one folder per student" in done.stdout
    assert "Traceback" not in done.stdout


SPY: Final = """\
import os, sys
os.environ['SPIED'] = 'yes'
try:
    open('{marker}', 'w').write('here')
except Exception:
    pass
sys.stderr.write('SPIED')

def double(x):
    sys.modules['pytest'] = None
    return 'pytest' in sys.modules and 2 * x
"""
CONFTEST: Final = """\
import os, sys

def pytest_sessionfinish():
    print("SPIED" in os.environ, "mine" in sys.modules, "sample" in sys.modules)
"""


def test_student_code_never_runs_in_pytest(here: Path) -> None:
    """A submission leaves no file, no variable and no module in the process of pytest."""
    Path("conftest.py").write_text(CONFTEST)
    done = pytest_on(SPY.format(marker=here / "marker"), "-s")
    assert "3 passed" in done.stdout, done.stdout
    assert "False False False" in done.stdout
    assert "SPIED" not in done.stdout + done.stderr
    assert not Path("marker").exists()


@pytest.fixture
def baited(here: Path) -> Path:
    """A folder that was handed in with files which pytest would obey."""
    folder = here / "jan"
    folder.mkdir()
    marker = f"open({str(here / 'marker')!r}, 'w').close()\n"
    (folder / "sample.py").write_text(RIGHT)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p evil\npythonpath = .\n")
    for name in ("evil.py", "conftest.py", "test_evil.py", "rich.py"):
        (folder / name).write_text(marker)
    (here / "pytest.ini").unlink()
    return here


def test_configuration_in_a_submission_is_not_obeyed(baited: Path) -> None:
    """A `pytest.ini`, a `conftest.py` or a module of a folder handed in is only data."""
    done = pytest_on(None, "--submission=jan")
    assert "3 passed" in done.stdout, done.stdout
    assert not (baited / "marker").exists()


@pytest.mark.xfail(
    reason="pytest looks for its configuration beside every word that it does not know yet, "
    "before any plugin is loaded: write --submission=FOLDER"
)
def test_configuration_in_a_submission_is_not_obeyed_without_an_equals_sign(baited: Path) -> None:
    """The same with the path as a word of its own."""
    pytest_on(None, "--submission", "jan")
    assert not (baited / "marker").exists()


@pytest.mark.usefixtures("here")
def test_items_have_a_net_under_us() -> None:
    """Where pytest-timeout is active, an item has a limit that only a hang of ours reaches."""
    Path("conftest.py").write_text(
        "def pytest_collection_modifyitems(items):\n"
        "    print([mark.args for item in items for mark in item.iter_markers('timeout')])\n"
    )
    assert "[(600,), (600,), (600,)]" in pytest_on(RIGHT, "-s", "--collect-only").stdout
    done = pytest_on(RIGHT, "-s", "-p", "no:timeout")
    assert "[]" in done.stdout
    assert "3 passed" in done.stdout


def test_plugin_costs_nothing_without_a_suite() -> None:
    """Loading the plugin imports nothing of the grader but itself."""
    program = (
        "import sys, grader.cli.pytest_plugin\n"
        "print(sorted(name for name in sys.modules if name.startswith(('grader.', 'pydantic'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "['grader.cli', 'grader.cli.pytest_plugin']\n" == done.stdout
