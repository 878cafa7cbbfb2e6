"""What a run of the gate takes: cheap tests always, of each collection a part that is drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from hostile_runs import TATTLERS, attacks_in, attacks_under_own_tests, corpus
from selection import (
    ATTACKS_ONE_IN,
    CI_ONE_IN,
    HOSTS,
    MAIN_HOST,
    MAIN_HOST_ONE_IN,
    MODULES_ONE_IN,
    ONE_IN,
    Breadth,
    Selection,
)

NAMES: Final = [f"tests/test_x.py::test_y[{number}]" for number in range(1000)]


def selection(breadth: Breadth, *in_full: str, draw: str = "abc") -> Selection:
    """Return how much is asked of a run."""
    return Selection(breadth=breadth, draw=draw, in_full=frozenset(in_full))


def test_a_commit_draws_the_same_each_time() -> None:
    """What is drawn follows from the text alone, and is about the part that is asked for."""
    first, again, other = (
        [name for name in NAMES if selection("quick", draw=draw).draws(name, ONE_IN)]
        for draw in ("abc", "abc", "abd")
    )
    assert first == again != other
    assert len(NAMES) // ONE_IN // 2 < len(first) < len(NAMES) // ONE_IN * 2


def test_commits_together_draw_everything() -> None:
    """No test is one that is never drawn."""
    commits = [selection("quick", draw=str(number)) for number in range(400)]
    assert all(any(commit.draws(name, ONE_IN) for commit in commits) for name in NAMES)


def test_attacks_are_tried_in_all_hosts_in_ci() -> None:
    """Most of them in the main one, and all in all before a release or where the walls change."""
    ci, walls, everything = selection("ci"), selection("ci", "walls"), selection("all")
    for host in HOSTS:
        tried = len(attacks_in(host, ci))
        one_in = MAIN_HOST_ONE_IN if host == MAIN_HOST else ATTACKS_ONE_IN
        assert len(corpus()) // one_in // 2 < tried < len(corpus()) // one_in * 2
        assert corpus() == attacks_in(host, everything) == attacks_in(host, walls)


def test_few_attacks_are_tried_under_own_tests() -> None:
    """Each starts a pytest: some where the walls are touched, all of them before a release."""
    tried = [
        len(attacks_under_own_tests(each))
        for each in (selection("ci"), selection("ci", "walls"), selection("all"))
    ]
    assert tried[0] < len(corpus()) // 50
    assert len(corpus()) // 12 < tried[1] < len(corpus()) // 3
    assert len(corpus()) == tried[2]


@pytest.mark.parametrize("collection", sorted(CI_ONE_IN))
def test_ci_draws_from_what_is_costly(collection: str) -> None:
    """All else it takes in full, and these too where a change is about them."""
    assert not selection("ci").has_in_full(collection)
    assert selection("ci", collection).has_in_full(collection)
    assert selection("all").has_in_full(collection)
    assert selection("ci").has_in_full("walls")


def test_a_quick_run_tries_few_attacks_in_one_host() -> None:
    """Unless the change touches the walls."""
    quick, touched = selection("quick"), selection("quick", "walls")
    assert ([MAIN_HOST], HOSTS) == (list(quick.hosts), touched.hosts)
    names = [attack.name for attack in attacks_in(MAIN_HOST, quick)]
    assert set(TATTLERS) <= set(names)
    assert len(names) < len(corpus()) // 8
    assert corpus() == attacks_in(MAIN_HOST, touched)


@pytest.mark.parametrize(
    ("options", "taken"),
    [
        ((), ["cheap", "one_of_many", "browser"]),
        (("--breadth=ci",), ["cheap", "one_of_many", "browser"]),
        (("--breadth=quick",), ["cheap"]),
        (("--breadth=quick", "--in-full=browser"), ["cheap", "browser"]),
    ],
)
def test_marks_say_what_may_be_left_out(
    options: tuple[str, ...], taken: list[str], tmp_path: Path, root: Path
) -> None:
    """Without options everything is run; a quick run may leave out what is marked."""
    (tmp_path / "conftest.py").write_bytes((root / "tests/conftest.py").read_bytes())
    (tmp_path / "test_it.py").write_text(
        "import pytest\ndef test_cheap(): pass\n"
        "@pytest.mark.installs(one_in=None)\ndef test_one_of_many(): pass\n"
        "@pytest.mark.browser(one_in=None)\n@pytest.mark.installs(one_in=None)\n"
        "def test_browser(): pass\n"
    )
    seen: list[str] = []

    class Listener:
        def pytest_collection_finish(self, session: pytest.Session) -> None:
            seen.extend(item.name.removeprefix("test_") for item in session.items)

    config = str(root / "pyproject.toml")
    pytest.main(
        [str(tmp_path), "-c", config, "--collect-only", "-q", "--import-mode=importlib", *options],
        [Listener()],
    )
    assert taken == seen


def test_ci_runs_something_of_half_of_the_costly_modules(tmp_path: Path, root: Path) -> None:
    """Half of the modules of whole commands have a test that is run, whichever are drawn."""
    (tmp_path / "conftest.py").write_bytes((root / "tests/conftest.py").read_bytes())
    for number in range(20):
        (tmp_path / f"test_{number}.py").write_text(
            "import pytest\npytestmark = pytest.mark.commands\n"
            "def test_one(): pass\ndef test_other(): pass\n"
        )
    seen: list[Path] = []

    class Listener:
        def pytest_collection_finish(self, session: pytest.Session) -> None:
            seen.extend(item.path for item in session.items)

    options = ["--collect-only", "-q", "--import-mode=importlib", "--breadth=ci", "--draw=1"]
    pytest.main([str(tmp_path), "-c", str(root / "pyproject.toml"), *options], [Listener()])
    names = [f"test_{number}.py" for number in range(20)]
    due = {name for name in names if selection("ci", draw="1").draws(name, MODULES_ONE_IN)}
    assert 4 < len(due) < 16
    modules = {path.name for path in seen}
    assert due <= modules
    assert len(modules - due) < 5
