"""Folders and files as sources: what is in them by name, and nothing through a link."""

from __future__ import annotations

import os
import unicodedata
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from handed_in import SOURCE, put

from grader.errors import UsageError
from grader.intake import opening
from grader.intake.listing import ReadingBudget
from grader.intake.members import MAX_LEVELS
from grader.intake.opening import open_source
from grader.intake.sources import Source
from grader.intake.submissions import Entry, collected


def paths(source: Source) -> list[str]:
    """Return the paths of the leaves of `source`."""
    return [leaf.path for leaf in source.leaves]


def refused(source: Source) -> list[tuple[str, str]]:
    """Return what `source` has refused, and the key of each reason."""
    return [(path, reason.key) for path, reason in source.refusals]


def test_a_folder_has_its_files_in_the_order_of_their_paths(tmp_path: Path) -> None:
    """A leaf has its path, size and time, and gives its bytes when it is read."""
    put(
        tmp_path / "in",
        "b.py",
        "a/z.py",
        "a/b/c.txt",
        ".idea/x",
        "venv/y.py",
        "a/__pycache__/z.pyc",
    )
    os.utime(tmp_path / "in/b.py", (0, 0))
    source = open_source(tmp_path / "in")
    assert ("in", ["a/b/c.txt", "a/z.py", "b.py"]) == (source.name, paths(source))
    leaf = source.leaves[-1]
    assert (len(SOURCE), datetime(1970, 1, 1, tzinfo=UTC)) == (leaf.size_bytes, leaf.modified)
    assert SOURCE == leaf.read(len(SOURCE))


def test_of_a_clone_is_kept_what_tells_its_time(tmp_path: Path) -> None:
    """That is for whoever looks for the last commit; it is no part of a hand-in."""
    git = ("HEAD", "config", "objects/ab/cd", "refs/heads/main", "hooks/x.sample", "index")
    put(tmp_path, "jan/a.py", *(f"jan/.git/{path}" for path in git))
    (tmp_path / "jan/.git/objects/info").mkdir()
    source = open_source(tmp_path)
    kept = [f"jan/.git/{path}" for path in git[:4]]
    assert ([*kept, "jan/a.py"], ()) == (paths(source), source.empty_folders)
    assert ["a.py"] == [*collected(Entry("jan", tmp_path / "jan")).files]


def test_folders_with_nothing_in_them_are_told(tmp_path: Path) -> None:
    """A student who handed in nothing may have left an empty folder."""
    put(tmp_path, "jan/a.py", "piet/.DS_Store")
    (tmp_path / "an" / "leeg").mkdir(parents=True)
    assert ("an/leeg", "piet") == open_source(tmp_path).empty_folders


def test_a_file_is_a_source_of_one_leaf(tmp_path: Path) -> None:
    """Its path is its name."""
    source = open_source(put(tmp_path, "jan.py") / "jan.py")
    assert ("jan.py", ["jan.py"]) == (source.name, paths(source))


def test_only_what_was_named_may_be_a_link(tmp_path: Path) -> None:
    """A person may name a link; what lies below is never followed."""
    put(tmp_path, "real/jan.py")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "real/piet.py").symlink_to("jan.py")
    (tmp_path / "real/all").symlink_to("/")
    source = open_source(tmp_path / "link")
    assert ("link", ["jan.py"]) == (source.name, paths(source))
    assert [("all", "refused.link"), ("piet.py", "refused.link")] == refused(source)
    (tmp_path / "link.py").symlink_to("real/jan.py")
    (leaf,) = open_source(tmp_path / "link.py").leaves
    assert ("link.py", SOURCE) == (leaf.path, leaf.read(100))


def test_names_are_composed(tmp_path: Path) -> None:
    """An accent that was written apart becomes part of its letter; of two one is read."""
    put(tmp_path, *(unicodedata.normalize(form, "Élise.py") for form in ("NFC", "NFD")))
    source = open_source(tmp_path)
    assert ["Élise.py"] == paths(source)
    assert ["refused.twice"] == [key for _, key in refused(source)]


def test_a_source_that_is_not_there_is_told(tmp_path: Path) -> None:
    """A person has named something else."""
    with pytest.raises(UsageError, match="no such file or folder"):
        open_source(tmp_path / "nowhere")


def test_folders_are_walked_to_a_bounded_depth(tmp_path: Path) -> None:
    """What lies deeper than anybody's work is told once."""
    put(tmp_path, *("a/" * depth + "x.py" for depth in (MAX_LEVELS - 1, MAX_LEVELS)))
    source = open_source(tmp_path)
    assert 1 == len(source.leaves)
    assert [("a/" * (MAX_LEVELS - 1) + "a", "refused.deep")] == refused(source)


def test_folders_are_walked_to_a_bounded_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a folder with very many files the first are listed, and it is told that there are more."""
    monkeypatch.setattr(opening, "ReadingBudget", partial(ReadingBudget, entries=3))
    source = open_source(put(tmp_path, "a.py", "b.py", "c.py", "d.py", "e/f.py"))
    assert ["a.py", "b.py", "c.py"] == paths(source)
    assert [("", "refused.many")] == refused(source)
