"""`grader pytest SUITE.yaml`: one item per case, and no student code in this process."""

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

pytestmark = pytest.mark.own_tests

GRADER: Final = "from grader.cli.verbs import main; main()"
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
PLUGINS: Final = Path("plugins")
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
    environment["PYTHONPATH"] = os.fspath(PLUGINS.absolute())
    return subprocess.run(
        [
            *(sys.executable, "-P", "-c", GRADER),
            *("pytest", "sample.yaml"),
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
    for ours in ("Traceback", "ItemFailure", "items.py", "runtest", "\x1b", "\0"):
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
    assert "items.py" not in done.stdout


@pytest.mark.usefixtures("here")
def test_without_a_submission_yaml_is_nothing() -> None:
    """Whoever has the grader installed sees nothing of it in other runs."""
    words = [sys.executable, "-m", "pytest", "sample.yaml"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode in {4, 5}
    assert "double/1" not in done.stdout


@pytest.mark.usefixtures("here")
def test_pytest_itself_is_told_what_to_type() -> None:
    """What pytest reads before it knows of us may be the submission's."""
    words = [sys.executable, "-m", "pytest", "sample.yaml", "--submission=mine.py"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (4, True) == (done.returncode, "type `grader pytest`" in done.stderr)


@pytest.mark.parametrize("word", [".", "mine.py", "mine.py::test"])
@pytest.mark.usefixtures("here")
def test_what_is_no_suite_is_refused(word: str) -> None:
    """It would be imported, or looked at for a configuration."""
    done = pytest_on(RIGHT, word)
    assert 2 == done.returncode
    assert "a student may have written these tests" in done.stderr


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
    assert "error: no such file or folder: " in done.stdout
    assert (
        "= help: check the path: it is relative to the current folder unless it starts with /"
        in done.stdout
    )
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
WATCH: Final = """\
import os, sys

def pytest_sessionfinish():
    print("SPIED" in os.environ, "mine" in sys.modules, "sample" in sys.modules)
"""


def test_student_code_never_runs_in_pytest(here: Path) -> None:
    """A submission leaves no file, no variable and no module in the process of pytest."""
    PLUGINS.mkdir()
    (PLUGINS / "watch.py").write_text(WATCH)
    done = pytest_on(SPY.format(marker=here / "marker"), "-s", "-p", "watch")
    assert "3 passed" in done.stdout, done.stdout
    assert "False False False" in done.stdout
    assert "SPIED" not in done.stdout + done.stderr
    assert not Path("marker").exists()


@pytest.fixture
def baited(here: Path) -> Path:
    """A folder that was handed in with files which pytest, or Python, would obey."""
    folder = here / "jan"
    folder.mkdir()
    marker = f"open({str(here / 'marker')!r}, 'w').close()\n"
    (folder / "sample.py").write_text(RIGHT)
    for name in ("pytest.ini", ".pytest.ini", "tox.ini"):
        (folder / name).write_text("[pytest]\naddopts = -p evil --debug=marker\npythonpath = .\n")
    (folder / "setup.cfg").write_text("[tool:pytest]\naddopts = -p evil\n")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-p evil'\n")
    for name in (
        "evil",
        "conftest",
        "test_evil",
        "rich",
        "json",
        "pytest",
        "click",
        "sitecustomize",
    ):
        (folder / f"{name}.py").write_text(marker)
    (here / "pytest.ini").unlink()
    return folder


@pytest.mark.parametrize(
    ("options", "inside"),
    [
        (["--submission=jan"], False),
        (["--submission", "jan"], False),
        (["--submission", "."], True),
        (["--submission", ".", "-n", "2"], True),
    ],
    ids=["one word", "two words", "from inside", "workers from inside"],
)
def test_configuration_in_a_submission_is_not_obeyed(
    baited: Path, monkeypatch: pytest.MonkeyPatch, options: list[str], *, inside: bool
) -> None:
    """A `pytest.ini`, a `conftest.py` or a module of a folder handed in is only data."""
    if inside:
        (baited / "sample.yaml").write_text(SUITE)
        monkeypatch.chdir(baited)
    done = pytest_on(None, *options)
    assert "3 passed in" in done.stdout, done.stdout + done.stderr
    assert not (baited.parent / "marker").exists()


@pytest.mark.usefixtures("here")
def test_items_have_a_net_under_us() -> None:
    """Where pytest-timeout is active, an item has a limit that only a hang of ours reaches."""
    PLUGINS.mkdir()
    (PLUGINS / "watch.py").write_text(
        "def pytest_collection_modifyitems(items):\n"
        "    print([mark.args for item in items for mark in item.iter_markers('timeout')])\n"
    )
    watching = ("-s", "-p", "watch")
    assert "[(600,), (600,), (600,)]" in pytest_on(RIGHT, *watching, "--collect-only").stdout
    done = pytest_on(RIGHT, *watching, "-p", "no:timeout")
    assert "[]" in done.stdout
    assert "3 passed" in done.stdout


def test_plugin_costs_nothing_without_a_suite() -> None:
    """Loading the plugin imports nothing of the grader but itself."""
    program = (
        "import sys, grader.plugins.own_tests.pytest_plugin\n"
        "print(sorted(name for name in sys.modules if name.startswith(('grader.', 'pydantic'))))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    packages = ("grader.plugins", "grader.plugins.own_tests")
    assert f"{[*packages, 'grader.plugins.own_tests.pytest_plugin']}\n" == done.stdout
