"""Clones from GitHub, each in a folder `<assignment>-<user>`.

GitHub Classroom puts them in `<assignment>-submissions`. Classroom 50 names them after classroom,
assignment and user, in `<classroom>-<assignment>_submissions_<time>`. If the folder around the
clones does not reveal the prefix before the user, their common prefix is used. Times are those of
the last commit in `.git`, according to the student's clock.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from os.path import commonprefix
from typing import Final

from grader.intake.layouts.recognition import (
    AttemptBuilder,
    KnownExercise,
    LeftOut,
    Name,
    Recognition,
    names_of,
)
from grader.intake.people import Person
from grader.intake.sources import Leaf, Source
from grader.plugins.platforms.git_files import commit_time
from grader.plugins.platforms.platform import Platform
from grader.plugins.platforms.scores import SCORES, ScoreEntry, Scores

_CLASSROOM: Final = r"(?P<slug>.+)-submissions"
_CLASSROOM_50: Final = r"(?P<slug>.+)_submissions_\d{4}(?:_\d\d){2}_T(?:_\d\d){3}"
_PARENT_NAME: Final = re.compile(rf"{_CLASSROOM_50.replace('slug', 'slug_50')}|{_CLASSROOM}")
_CLASSROOM_FILES: Final = frozenset({"result.json", "results.json", SCORES})
"""Files that Classroom 50 adds to hand-ins."""
_TITLES: Final = {"github": "GitHub Classroom", "classroom50": "Classroom 50"}
_MAX_WRAPPERS: Final = 4

_Folder = tuple[str, ...]


def _recognise(name: str, source: Source, known: KnownExercise) -> Recognition | None:
    """Return the clones in `source`, or None unless the platform `name` made them.

    The platform is not checked if the user selected this layout. Students who handed in nothing
    are known only from score tables beside the clones.
    """
    names = names_of(source)
    clones = _find_clones(source, names)
    if not clones or (not known.is_forced and _detect_platform(source, clones, names) != name):
        return None
    users, guesses = _find_users(source, clones, known)
    if not known.is_forced and all(users[clone] == clone[-1] for clone in clones):
        return None  # probably from another platform, whose students use git
    parents = {clone[:-1] for clone in clones}
    tables = [entry for entry in names if entry.parts[-1] == SCORES and entry.parts[:-1] in parents]
    scores = Scores.read(table.leaf for table in tables if table.leaf is not None)
    attempts = []
    git_files = _git_files(source, clones)
    fitting = {leaf.path for files in git_files.values() for leaf in files.values()}
    for clone, files in clones.items():
        builder = AttemptBuilder()
        for file in files:
            fitting.add(file.path)
            path_in_clone = "/".join(file.parts[len(clone) :])
            if path_in_clone and path_in_clone not in _CLASSROOM_FILES:
                builder.add_file(file, path_in_clone)
        score = scores.for_user(users[clone]) or ScoreEntry(person=Person(user=users[clone]))
        submitted = score.submitted or commit_time(git_files.get(clone, {}))
        attempts.append(builder.attempt(score.person, submitted=submitted, is_late=score.is_late))
    fitting |= {table.path for table in tables}
    other_names = [entry for entry in names if entry.path not in fitting]
    if any(attempt.submitted for attempt in attempts) and not scores.rows:
        guesses.append("times are those of the last commits, which students can fake")
    return Recognition(
        layout=name,
        evidence=f"{len(clones)} folders look like clones from {_TITLES[name]}",
        fitting=frozenset(fitting),
        attempts=tuple(attempts),
        left_out=tuple(
            LeftOut(entry.path, entry.refusal or "it is in none of the clones")
            for entry in other_names
        ),
        guesses=tuple(guesses),
        missing=scores.missing(users.values()),
    )


def _find_clones(source: Source, names: Iterable[Name]) -> dict[_Folder, list[Name]]:
    """Return the files in each clone, which is a folder with `.git`, or is named like a clone."""
    roots = {
        tuple(leaf.path.split("/")[:-2])
        for leaf in source.leaves
        if leaf.path.endswith(("/.git/HEAD", "/.git/config"))
    }
    clones: dict[_Folder, list[Name]] = {}
    for name in names:
        folders = [
            name.parts[:depth] for depth in range(1, min(len(name.parts), _MAX_WRAPPERS) + 1)
        ]
        root = next(
            (
                folder
                for folder in folders
                if folder in roots or _is_named_like_clone(source, folder)
            ),
            None,
        )
        if root is not None and (len(name.parts) > len(root) or name.leaf is None):
            clones.setdefault(root, []).append(name)
    for root in sorted(roots):  # clones without files are hand-ins too
        if not any(root[:depth] in clones for depth in range(1, len(root) + 1)):
            clones[root] = []
    return clones


def _user_prefix(source: Source, folder: _Folder) -> str | None:
    """Return the prefix before the user name, or None if the parent's name does not reveal it."""
    parent_name = folder[-2] if len(folder) > 1 else source.name
    match = _PARENT_NAME.fullmatch(parent_name.removesuffix(".zip"))
    return (match["slug_50"] or match["slug"]) if match else None


def _is_named_like_clone(source: Source, folder: _Folder) -> bool:
    slug, name = _user_prefix(source, folder), folder[-1]
    return slug is not None and name.startswith(f"{slug}-") and not _PARENT_NAME.fullmatch(name)


def _detect_platform(
    source: Source, clones: Mapping[_Folder, object], names: Iterable[Name]
) -> str:
    """Return the name of the platform that made the `clones`."""
    parent_names = {clone[-2] if len(clone) > 1 else source.name for clone in clones}
    parents = {clone[:-1] for clone in clones}
    neighbour_names = {
        name.parts[-1] for name in names if name.parts[:-1] in parents or name.parts[:-1] in clones
    }
    if (
        any(re.fullmatch(_CLASSROOM_50, folder) for folder in parent_names)
        or neighbour_names & _CLASSROOM_FILES
    ):
        return "classroom50"
    return "github"


def _find_users(
    source: Source, clones: Mapping[_Folder, object], known: KnownExercise
) -> tuple[dict[_Folder, str], list[str]]:
    """Return the user name for each clone, and the guesses to report."""
    users: dict[_Folder, str] = {}
    guesses: list[str] = []
    parents = Counter(clone[:-1] for clone in clones)
    for parent in parents:
        folders = [clone for clone in clones if clone[:-1] == parent]
        slug = _user_prefix(source, folders[0])
        start = f"{slug}-" if slug else _common_prefix([folder[-1] for folder in folders], known)
        if not slug:
            guesses.append(
                f"the prefix `{start}` of all folders is assumed not to be part of the user names"
                if start
                else "the whole name of each folder is assumed to be a user name"
            )
        users |= {folder: folder[-1].removeprefix(start) or folder[-1] for folder in folders}
    return users, guesses


def _common_prefix(folders: Sequence[str], known: KnownExercise) -> str:
    """Return the common prefix of all `folders`, up to the `-` before the user name.

    If it contains the name of the exercise or of a module, it ends after that name and a `-`.
    """
    names = "|".join(re.escape(name) for name in (known.exercise or "", *known.modules) if name)
    common = commonprefix(list(folders))  # noqa: RUF071 - names, not paths
    match = re.match(rf"(?:.*?-)??(?:{names})-", common, re.IGNORECASE) if names else None
    if match is not None:
        return match[0]
    # The common prefix of a single name is the whole name.
    return common[: common.rfind("-") + 1] if len(folders) > 1 else ""


def _git_files(
    source: Source, clones: Mapping[_Folder, object]
) -> Mapping[_Folder, dict[str, Leaf]]:
    """Return the files in the `.git` folder of each clone, keyed by their path in that folder."""
    files: dict[_Folder, dict[str, Leaf]] = {}
    for leaf in source.leaves:
        clone_path, separator, path = leaf.path.partition("/.git/")
        folder = tuple(clone_path.split("/"))
        if separator and folder in clones:
            files.setdefault(folder, {})[path] = leaf
    return files


GITHUB: Final = Platform(name="github", recognise=partial(_recognise, "github"))
CLASSROOM_50: Final = Platform(name="classroom50", recognise=partial(_recognise, "classroom50"))
