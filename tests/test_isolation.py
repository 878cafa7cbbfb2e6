"""What is not enforced is told, whatever combination of layers a host gives."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from grader.executor.isolation_layers import NO_LAYERS, IsolationLayers
from grader.executor.namespaces import _recreate_links
from grader.messages import message
from grader.reporting.wording import LANGUAGES, format_message
from grader.sandbox.isolation import gaps

ALL = IsolationLayers(
    no_new_privs=True,
    uid_dropped=True,
    seccomp=True,
    landlock_abi=7,
    namespaces=True,
    rlimits=True,
    parent_death_signal=True,
)


def told(layers: IsolationLayers) -> list[str]:
    """Return the keys of what is said of `layers`."""
    return [gap.key for gap in gaps(tuple(layers.to_json().items()))]


def test_no_gap_where_every_layer_is_in_force() -> None:
    """A host with everything has nothing to confess."""
    assert [] == told(ALL)


def test_one_sentence_where_nothing_is_in_force() -> None:
    """Seven gaps at once are one: nothing is enforced."""
    assert ["gap.everything"] == told(NO_LAYERS)
    assert (message("gap.everything"),) == gaps(())


@pytest.mark.parametrize(
    "name",
    ["no_new_privs", "uid_dropped", "seccomp", "namespaces", "rlimits", "parent_death_signal"],
)
def test_each_missing_layer_is_a_gap(name: str) -> None:
    """A layer that is not in force is named."""
    assert [f"gap.{name}"] == told(replace(ALL, **{name: False}))


def test_without_a_filter_no_wall_is_spoken_of() -> None:
    """Where files are within reach, nothing is said to stand between, whatever else is in force."""
    for landlock_abi, namespaces in ((0, False), (3, True), (7, False)):
        layers = replace(ALL, seccomp=False, landlock_abi=landlock_abi, namespaces=namespaces)
        assert ["gap.seccomp"] == told(layers)
        assert 0 == layers.level


@pytest.mark.parametrize(
    ("abi", "expected"),
    [
        (0, ["gap.landlock_abi"]),
        (1, ["gap.landlock_network"]),
        (3, ["gap.landlock_network"]),
        (4, ["gap.landlock_signals"]),
        (5, ["gap.landlock_signals"]),
        (6, []),
    ],
)
def test_older_landlock_is_a_smaller_wall(abi: int, expected: list[str]) -> None:
    """Landlock grew: TCP came with version 4, signals with version 6."""
    assert expected == told(replace(ALL, landlock_abi=abi))


@pytest.mark.parametrize("language", LANGUAGES)
def test_version_is_told(language: str) -> None:
    """Who asks which Landlock it is finds its number in the sentence."""
    (gap,) = gaps((("seccomp", True), ("landlock_abi", 3)))
    assert "Landlock 3" in format_message(gap, language)


@pytest.mark.parametrize(("count", "is_followed"), [(40, True), (41, False)])
def test_as_many_links_are_followed_as_the_kernel_follows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, is_followed: bool
) -> None:
    """A path of 40 links leads to its file, and one of 41 nowhere."""
    folder = tmp_path.resolve()
    monkeypatch.setattr("grader.executor.namespaces._MOUNT_POINT", bytes(folder / "mounted"))
    (folder / "0").touch()
    for number in range(count):
        (folder / str(number + 1)).symlink_to(folder / str(number))
    assert (str(folder / "0") * is_followed) == _recreate_links(str(folder / str(count)))
