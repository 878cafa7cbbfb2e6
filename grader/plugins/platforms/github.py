"""Clones from GitHub, each in a folder `<assignment>-<user>`.

GitHub Classroom puts them in `<assignment>-submissions`; Classroom 50 names each after classroom,
assignment and user, in `<classroom>-<assignment>_submissions_<time>`. If the folder around them
does not show the prefix of users, it is the common prefix of all clones. Times are those of the
last commit in `.git`, by the clock of the student.
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
from grader.plugins.platforms.scores import SCORES, ScoreLine, Scores

_CLASSROOM: Final = r"(?P<slug>.+)-submissions"
_CLASSROOM_50: Final = r"(?P<slug>.+)_submissions_\d{4}(?:_\d\d){2}_T(?:_\d\d){3}"
_AROUND: Final = re.compile(rf"{_CLASSROOM_50.replace('slug', 'slug_50')}|{_CLASSROOM}")
_OWN_FILES: Final = frozenset({"result.json", "results.json", SCORES})
"""Files that Classroom 50 adds to hand-ins."""
_TITLES: Final = {"github": "GitHub Classroom", "classroom50": "Classroom 50"}
_MAX_WRAPPERS: Final = 4

_Folder = tuple[str, ...]


def _recognise(name: str, source: Source, known: KnownExercise) -> Recognition | None:
    names = names_of(source)
    clones = _clones(source, names)
    if not clones or (not known.is_forced and _kind(source, clones, names) != name):
        return None
    users, guesses = _users(source, clones, known)
    if not known.is_forced and all(users[clone] == clone[-1] for clone in clones):
        return None  # probably folders of students who use git, from another platform
    around = {clone[:-1] for clone in clones}
    tables = [each for each in names if each.parts[-1] == SCORES and each.parts[:-1] in around]
    scores = Scores.read(each.leaf for each in tables if each.leaf is not None)
    attempts = []
    git = _git_files(source, clones)
    fitting = {leaf.path for files in git.values() for leaf in files.values()}
    for clone, of_clone in clones.items():
        pile = AttemptBuilder()
        for each in of_clone:
            fitting.add(each.path)
            path = "/".join(each.parts[len(clone) :])
            if path and path not in _OWN_FILES:
                pile.add_file(each, path)
        told = scores.of(users[clone]) or ScoreLine(person=Person(user=users[clone]))
        submitted = told.submitted or commit_time(git.get(clone, {}))
        attempts.append(pile.attempt(told.person, submitted=submitted, is_late=told.is_late))
    fitting |= {each.path for each in tables}
    others = [each for each in names if each.path not in fitting]
    if any(attempt.submitted for attempt in attempts) and not scores.rows:
        guesses.append("times are those of the last commit, which students can fake")
    return Recognition(
        layout=name,
        evidence=f"{len(clones)} folders are clones, as from {_TITLES[name]}",
        fitting=frozenset(fitting),
        attempts=tuple(attempts),
        left_out=tuple(
            LeftOut(each.path, each.refusal or "it is in none of the clones") for each in others
        ),
        guesses=tuple(guesses),
        missing=scores.missing(users.values()),
    )


def _clones(source: Source, names: Iterable[Name]) -> dict[_Folder, list[Name]]:
    """Return the files of each clone: a folder with `.git`, or in a folder for submissions."""
    roots = {
        tuple(leaf.path.split("/")[:-2])
        for leaf in source.leaves
        if leaf.path.endswith(("/.git/HEAD", "/.git/config"))
    }
    clones: dict[_Folder, list[Name]] = {}
    for each in names:
        heads = [each.parts[:depth] for depth in range(1, min(len(each.parts), _MAX_WRAPPERS) + 1)]
        root = next((head for head in heads if head in roots or _is_named(source, head)), None)
        if root is not None and (len(each.parts) > len(root) or each.leaf is None):
            clones.setdefault(root, []).append(each)
    for root in sorted(roots):  # clones without files are hand-ins too
        if not any(root[:depth] in clones for depth in range(1, len(root) + 1)):
            clones[root] = []
    return clones


def _slug(source: Source, folder: _Folder) -> str | None:
    """Return the prefix of users, as the name of the folder around `folder` shows it."""
    around = folder[-2] if len(folder) > 1 else source.name
    found = _AROUND.fullmatch(around.removesuffix(".zip"))
    return (found["slug_50"] or found["slug"]) if found else None


def _is_named(source: Source, folder: _Folder) -> bool:
    slug, own = _slug(source, folder), folder[-1]
    return slug is not None and own.startswith(f"{slug}-") and not _AROUND.fullmatch(own)


def _kind(source: Source, clones: Mapping[_Folder, object], names: Iterable[Name]) -> str:
    """Return the platform that made the `clones`."""
    around = {clone[-2] if len(clone) > 1 else source.name for clone in clones}
    parents = {clone[:-1] for clone in clones}
    beside = {
        each.parts[-1] for each in names if each.parts[:-1] in parents or each.parts[:-1] in clones
    }
    if any(re.fullmatch(_CLASSROOM_50, each) for each in around) or beside & _OWN_FILES:
        return "classroom50"
    return "github"


def _users(
    source: Source, clones: Mapping[_Folder, object], known: KnownExercise
) -> tuple[dict[_Folder, str], list[str]]:
    """Return the user of each clone, and guesses to report."""
    users: dict[_Folder, str] = {}
    guesses: list[str] = []
    parents = Counter(clone[:-1] for clone in clones)
    for parent in parents:
        folders = [clone for clone in clones if clone[:-1] == parent]
        slug = _slug(source, folders[0])
        start = f"{slug}-" if slug else _start([each[-1] for each in folders], known)
        if not slug:
            guesses.append(f"the names of all folders are taken to start with `{start}`")
        users |= {each: each[-1].removeprefix(start) or each[-1] for each in folders}
    return users, guesses


def _start(folders: Sequence[str], known: KnownExercise) -> str:
    """Return the common prefix of all `folders`, up to a `-`, before the user."""
    names = "|".join(re.escape(name) for name in (known.exercise or "", *known.modules) if name)
    common = commonprefix(list(folders))  # noqa: RUF071 - names, not paths
    asked = re.match(rf"(?:.*?-)??(?:{names})-", common, re.IGNORECASE) if names else None
    if asked is not None:
        return asked[0]
    # The common prefix of one name is all of it.
    return common[: common.rfind("-") + 1] if len(folders) > 1 else ""


def _git_files(
    source: Source, clones: Mapping[_Folder, object]
) -> Mapping[_Folder, dict[str, Leaf]]:
    files: dict[_Folder, dict[str, Leaf]] = {}
    for leaf in source.leaves:
        around, git, path = leaf.path.partition("/.git/")
        folder = tuple(around.split("/"))
        if git and folder in clones:
            files.setdefault(folder, {})[path] = leaf
    return files


GITHUB: Final = Platform(name="github", recognise=partial(_recognise, "github"))
CLASSROOM_50: Final = Platform(name="classroom50", recognise=partial(_recognise, "classroom50"))
