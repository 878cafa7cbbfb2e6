"""What there is to say about a class on one exercise, in words: items, and wrong answers shared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from grader.display import one_line
from grader.reporting.clusters import Cluster
from grader.reporting.items import (
    MIN_FIGURES,
    MIN_SURE,
    Analysis,
    Difficulty,
    Discrimination,
    Item,
)
from grader.reporting.signs import Sign, sign
from grader.reporting.voice import Voice
from grader.verdict import Verdict

MAX_CLUSTERS: Final = 20
MAX_TITLE_CHARS: Final = 80
_MAX_LISTED: Final = 30
"""Items in one list; the table has them all."""
_MAX_TOGETHER: Final = 6
"""Items named among those that go together."""
_MAX_SHORT_CHARS: Final = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number as it is shown, a word for it, and what it is sorted by."""

    shown: str
    word: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemView:
    """One row of the table of items."""

    title: str
    whole: Figure
    difficulty: Figure
    discrimination: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemList:
    """Items that somebody should look at, and why."""

    title: str
    text: str
    items: tuple[tuple[str, str], ...]
    """Each with what is the matter with it, which may be nothing more to say."""
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsView:
    """The items of one kind: groups, or sessions."""

    title: str
    has_figures: bool
    items: tuple[ItemView, ...]
    lists: tuple[ItemList, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterView:
    """One wrong answer, and how many gave it."""

    size: str
    sign: Sign
    code: str
    expected: str
    got: str
    is_nothing: bool
    """Whether that is what came, as of a step that should have raised an exception."""
    line: str
    others: str | None
    session: str
    student: str
    href: str
    """The page of a student who gave it."""


def items_view(title: str, found: Analysis, voice: Voice) -> ItemsView:
    """Return `found`, the items of one kind called `title`, ready to be laid out."""
    return ItemsView(
        title=title,
        has_figures=found.has_figures,
        items=tuple(_item(item, voice) for item in found.items),
        lists=tuple(_lists(found, voice)) if found.has_figures else (),
    )


def warning(found: Analysis, voice: Voice) -> str | None:
    """Return what is to be said of figures over so few submissions, if they are few."""
    if not found.has_figures:
        return voice("class_items_few", count=found.count, least=MIN_FIGURES)
    if not found.is_sure:
        return voice("class_items_unsure", count=found.count, least=MIN_SURE)
    return None


def cluster_view(cluster: Cluster, student: str, href: str, voice: Voice) -> ClusterView:
    """Return `cluster`, of which `student` is an example whose page is at `href`."""
    failure = cluster.failure
    return ClusterView(
        size=voice("class_same_size", count=len(cluster.members)),
        sign=sign(failure.verdict, voice),
        code=failure.code,
        expected=failure.expected,
        got=failure.got,
        is_nothing=failure.verdict is Verdict.WRONG and not failure.got,
        line=failure.line,
        others=voice("class_same_others", count=cluster.others) if cluster.others else None,
        session=failure.session,
        student=one_line(student),
        href=href,
    )


def _item(item: Item, voice: Voice) -> ItemView:
    return ItemView(
        title=_title(item.title),
        whole=Figure(
            shown=voice("class_of", number=item.whole, count=item.tried),
            word="",
            value=str(item.whole),
        ),
        difficulty=_difficulty(item, voice),
        discrimination=_discrimination(item, voice),
    )


def _title(title: str) -> str:
    return one_line(title, MAX_TITLE_CHARS)


def _difficulty(item: Item, voice: Voice) -> Figure:
    if item.share is None:
        return Figure(shown="", word=voice("class_untried"), value="")
    match item.difficulty:
        case Difficulty.EASY:
            word = voice("class_easy")
        case Difficulty.MEDIUM | None:
            word = voice("class_medium")
        case Difficulty.HARD:
            word = voice("class_hard")
    return Figure(shown=f"{100 * item.share:.0f} %", word=word, value=str(item.share))


def _discrimination(item: Item, voice: Voice) -> Figure:
    if item.correlation is None:
        return Figure(shown="", word=voice("class_unknown"), value="")
    match item.discrimination:
        case Discrimination.GOOD:
            word = voice("class_good")
        case Discrimination.FAIR:
            word = voice("class_fair")
        case Discrimination.POOR:
            word = voice("class_poor")
        case Discrimination.UNKNOWN:
            word = voice("class_unknown")
        case _:
            assert_never(item.discrimination)
    return Figure(shown=voice.number(item.correlation), word=word, value=str(item.correlation))


def _lists(found: Analysis, voice: Voice) -> Iterator[ItemList]:
    suspect = [(_title(item.title), "; ".join(_doubts(item, voice))) for item in found.suspect]
    yield from _list(voice("class_suspect"), voice("class_suspect_text"), suspect)
    dead = [
        (_title(item.title), voice("class_all_right") if item.share else voice("class_none_right"))
        for item in found.dead
    ]
    yield from _list(voice("class_dead"), voice("class_dead_text"), dead)
    double = [(_together(titles), "") for titles in found.duplicates]
    yield from _list(voice("class_double"), voice("class_double_text"), double)


def _together(titles: Sequence[str]) -> str:
    shown = " = ".join(one_line(title, _MAX_SHORT_CHARS) for title in titles[:_MAX_TOGETHER])
    return f"{shown} = … (+{len(titles) - _MAX_TOGETHER})" if titles[_MAX_TOGETHER:] else shown


def _list(title: str, text: str, items: Sequence[tuple[str, str]]) -> Iterator[ItemList]:
    if items:
        more = max(0, len(items) - _MAX_LISTED)
        yield ItemList(title=title, text=text, items=tuple(items[:_MAX_LISTED]), more=more)


def _doubts(item: Item, voice: Voice) -> Iterator[str]:
    if item.correlation is not None and item.discrimination is Discrimination.POOR:
        yield voice("class_poor_because", number=voice.number(item.correlation))
    if item.is_upside_down:
        yield voice("class_upside_down")
