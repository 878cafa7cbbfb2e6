"""The hidden part of a suite, its merging with the public part, and the joining of sessions.

A hidden suite is a separate file next to the public one, so that a course can publish only the
latter.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, groupby
from operator import itemgetter
from typing import Annotated, Final

from grader.suite.clauses import Clause
from grader.suite.fields import Items, Slug, key, one_of_words, optional
from grader.suite.model import Equivalent, Feedback, Generated, Suite, VersionedForm
from grader.suite.session import Session, SessionHead, WrittenSession
from grader.suite.steps import Case, Group, WrittenStep
from grader.verdict import Visibility

DEFAULT_SHARE: Final = 0.9
MAX_SIBLINGS: Final = 600
_MAX_STEPS_TOGETHER: Final = 600
"""About how many steps a joined session has at most. It is limited, as the parts after one that
fails run again."""
_NOT_PUBLIC: Final = (Visibility.HIDDEN, Visibility.STAFF)


class HiddenSession(WrittenSession, title="hidden_session"):
    """Steps that run in order, after a fresh import, and that students do not see."""

    visibility: Annotated[Visibility, one_of_words(Visibility, *_NOT_PUBLIC)] = key(
        "Who sees its cases: hidden (students see a count), staff (students see nothing).",
        "hidden",
        default=Visibility.HIDDEN,
    )


class Sibling(SessionHead, title="sibling"):
    """A small session outside the suite that shows a mistake to the student who made it."""

    form_name = "a sibling"

    steps: Items[WrittenStep] = key(
        "The steps, in order; those with a group show the mistake.",
        [{"do": "YinYang(3, [], [])", "group": "YinYang"}],
        min_length=1,
    )


class HiddenHead(VersionedForm):
    """The keys of a hidden suite besides its sessions."""

    exercise: Slug = key("Short name of the exercise, as in the public suite.", "yinyang")
    generated: Generated | None = optional(
        "What a generator made the sessions from.",
        {
            "version": 1,
            "seed": "autumn",
            "reference": "0123456789abcdef" * 4,
            "content": "fedcba9876543210" * 4,
        },
    )
    share: float = key(
        "The share of a group's points, from 0 to 1, that its hidden cases earn together if "
        "it also has public ones.",
        DEFAULT_SHARE,
        default=DEFAULT_SHARE,
        ge=0,
        le=1,
    )
    feedback: Annotated[Feedback, one_of_words(Feedback)] = key(
        "What students see of failed hidden cases: count, clause (of the spec), "
        "counterexample (a small session that shows the mistake).",
        "clause",
        default=Feedback.COUNTEREXAMPLE,
    )
    equivalent: Items[Equivalent] = key(
        "Mutants that no session can tell from the reference.",
        [{"mutant": "3f2a91c0", "reason": "the caller checks the bounds too"}],
        default_factory=tuple,
    )
    clauses: Items[Clause] = key(
        "Sentences of the spec that settle its cases. Readings here are not published, so "
        "their cases must be in groups of 0 points.",
        [{"id": "bezet", "quote": "als het vakje op positie p niet leeg is"}],
        default_factory=tuple,
    )
    groups: Items[Group] = key(
        "More groups, or other points for groups of the public suite.",
        [{"id": "two-boards", "points": 2}],
        default_factory=tuple,
    )


class WrittenHidden(HiddenHead, title="hidden"):
    """What a submission is asked besides the public suite, out of sight of students."""

    form_name = "a hidden suite"

    sessions: Items[HiddenSession] = key(
        "Sessions, each of which starts with a fresh import.",
        [
            {
                "id": "corners-1",
                "steps": [{"do": "YinYang(4, [], [])", "group": "YinYang"}],
            }
        ],
        min_length=1,
    )
    siblings: Items[Sibling] = key(
        "Small sessions that earn no points. A student who fails hidden cases of a group sees "
        "the first that fails too: put short ones first.",
        [{"id": "s1", "steps": [{"do": "YinYang(3, [], [])", "group": "YinYang"}]}],
        default_factory=tuple,
        max_length=MAX_SIBLINGS,
    )


class Hidden(HiddenHead):
    """The hidden part of a suite."""

    sessions: tuple[Session, ...]
    siblings: tuple[Session, ...]
    sha256: str
    """The hash of the hidden suite's file, and of the lines of its clauses in the spec."""
    asks: str
    """The same hash without titles and points, as in `Suite`."""

    @property
    def seed(self) -> str:
        """The seed for inputs of probes.

        It is derived from the code of the sessions, so it is as secret as they are. It does not
        depend on expectations or newlines. It must differ from the hash in records, which is not
        secret.
        """
        # Sorted by id, so that moving a session within the file does not change the seed.
        codes = sorted(
            (session.id, [step.code for step in session.steps]) for session in self.sessions
        )
        return hashlib.sha256(b"seed of a hidden suite\n" + json.dumps(codes).encode()).hexdigest()


def merge_suites(public: Suite, hidden: Hidden) -> Suite:
    """Return the suite `public`, extended with `hidden`.

    Groups in both have the points that `hidden` gives them.
    """
    points = {group.id: group.points for group in hidden.groups}
    public_groups = [
        group.with_changes(points=points.pop(group.id, group.points)) for group in public.groups
    ]
    # The groups that are left in `points` are only in the hidden suite.
    return public.with_changes(
        clauses=public.clauses + hidden.clauses,
        groups=(*public_groups, *(group for group in hidden.groups if group.id in points)),
        sessions=public.sessions + hidden.sessions,
        sha256=hashlib.sha256(f"{public.sha256}\n{hidden.sha256}".encode()).hexdigest(),
        asks=hashlib.sha256(f"{public.asks}\n{hidden.asks}".encode()).hexdigest(),
        hidden_share=hidden.share,
        feedback=hidden.feedback,
        generated=hidden.generated,
        equivalent=hidden.equivalent,
        siblings=hidden.siblings,
        seed=hidden.seed,
    )


def ordered_sessions(suite: Suite, *, least: int = 1) -> tuple[Session, ...]:
    """Return the sessions of `suite` in the order in which they run.

    Public sessions come first, so that their output reveals nothing about hidden ones, not even by
    timing: a submission can choose how long a hidden session takes.

    Generated sessions depend only on names that they bind themselves. Those on the same modules are
    joined into a few long ones, as starting an executor takes longer than running a session. At
    least `least` sessions are returned if the suite has that many, so that every seed gets a turn.
    """
    public = [session for session in suite.sessions if session.visibility is Visibility.PUBLIC]
    non_public = [
        session for session in suite.sessions if session.visibility is not Visibility.PUBLIC
    ]
    # Hand-written sessions might rely on a fresh executor.
    if suite.generated is None:
        return (*public, *non_public)
    by_kind: dict[Hashable, list[Session]] = {}
    for session in non_public:
        by_kind.setdefault((session.visibility, session.modules, session.stand_ins), []).append(
            session
        )
    # `-(-a // b)` divides and rounds up.
    min_chunks = -(-max(0, least - len(public)) // max(1, len(by_kind)))
    joined = [
        session for parts in by_kind.values() for session in _join_in_chunks(parts, min_chunks)
    ]
    # Seeds take turns over sessions, so there must be as many sessions as seeds.
    return (*public, *(joined if len(public) + len(joined) >= least else non_public))


def _join_in_chunks(parts: Sequence[Session], min_chunks: int) -> Iterator[Session]:
    """Yield `parts`, which are in order, joined into sessions of similar, limited length.

    If there are enough parts, they become at least `min_chunks` sessions.
    """
    ends = list(accumulate(len(session.steps) for session in parts))
    count = max(min_chunks, -(-ends[-1] // _MAX_STEPS_TOGETHER))
    # A part belongs to the chunk of its last step.
    chunk_numbers = [(end - 1) * count // ends[-1] for end in ends]
    for _, chunk in groupby(zip(chunk_numbers, parts, strict=True), key=itemgetter(0)):
        yield join_sessions(tuple(session for _, session in chunk))


# Sessions compare by identity, so caches keyed by session need the same object for equal parts.
@lru_cache(256)
def join_sessions(parts: tuple[Session, ...]) -> Session:
    """Return a single session that runs `parts` in order, with the modules of the first one."""
    first, *rest = parts
    if not rest:
        return first
    starts = accumulate((len(session.steps) for session in parts), initial=0)
    cases = (
        Case(id=case.id, group=case.group, step_index=start + case.step_index)
        # Not strict, as the last start is the end of the whole session.
        for start, session in zip(starts, parts, strict=False)
        for case in session.cases
    )
    return first.with_changes(
        id="+".join(session.id for session in parts),
        steps=tuple(step for session in parts for step in session.steps),
        cases=tuple(cases),
        looks=tuple(dict.fromkeys(look for session in parts for look in session.looks)),
        parts=parts,
    )


def concatenate_sessions(first: Session, second: Session) -> Session:
    """Return a session that runs `first` and then `second`, but has no `parts`."""
    return join_sessions((first, second)).with_changes(parts=())


def case_counts(suite: Suite) -> tuple[int, int]:
    """Return how many cases of `suite` are public, and how many are not."""
    are_public = [
        session.visibility is Visibility.PUBLIC for session in suite.sessions for _ in session.cases
    ]
    return sum(are_public), len(are_public) - sum(are_public)
