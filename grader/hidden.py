"""The hidden part of a suite: how it joins the public part, and what of it a student gets.

A hidden suite stands beside the public one, which a course can hand out without it. Its sessions
may be in *pools*, as alternatives of equal strength: each student gets one session of each pool, so
that answers that were copied from a neighbour do not help.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace

from grader.suite import Equivalent, Feedback, Generated, Group, Session, Suite
from grader.verdict import Visibility


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A hidden suite."""

    share: float
    """See `Suite.hidden_share`."""
    feedback: Feedback
    groups: tuple[Group, ...]
    """Those that the public suite does not have."""
    sessions: tuple[Session, ...]
    siblings: tuple[Session, ...] = ()
    """See `Suite.siblings`."""
    generated: Generated | None = None
    equivalent: tuple[Equivalent, ...] = ()
    sha256: str
    """Hash of the bytes that it was loaded from."""
    seed: str
    """See `Suite.seed`."""


def seed_of(sessions: Iterable[Session]) -> str:
    """Return the seed that a hidden suite with `sessions` draws from unless another is given.

    It follows from what the pools ask and from nothing else: who mends another part of the suite,
    or saves it with other line ends, must not give half of the class other sessions. It is as
    secret as the pools. The hash in a record must not tell it, so it is another one.
    """
    pooled = sorted(
        (session.pool, session.id, [step.code for step in session.steps])
        for session in sessions
        if session.pool is not None
    )
    return hashlib.sha256(b"seed of the pools\n" + json.dumps(pooled).encode()).hexdigest()


def merged(public: Suite, hidden: Hidden) -> Suite:
    """Return the whole suite: `public` with what `hidden` adds to it."""
    return replace(
        public,
        groups=public.groups + hidden.groups,
        sessions=public.sessions + hidden.sessions,
        sha256=hashlib.sha256(f"{public.sha256}\n{hidden.sha256}".encode()).hexdigest(),
        hidden_share=hidden.share,
        feedback=hidden.feedback,
        generated=hidden.generated,
        equivalent=hidden.equivalent,
        siblings=hidden.siblings,
        seed=hidden.seed,
    )


def drawn(suite: Suite, seed: str, student: str) -> Suite:
    """Return `suite` with one session of each pool, drawn for `student` from `seed`.

    The same seed, student and pool give the same session, whoever else is graded and in whatever
    order sessions stand.
    """
    pools: dict[str, list[Session]] = {}
    for session in suite.sessions:
        if session.pool is not None:
            pools.setdefault(session.pool, []).append(session)
    if not pools:
        return suite
    chosen = {pool: _chosen(pools[pool], seed, student, pool).id for pool in pools}
    sessions = (
        session
        for session in suite.sessions
        if session.pool is None or chosen[session.pool] == session.id
    )
    return replace(suite, sessions=tuple(sessions))


def _chosen(sessions: list[Session], seed: str, student: str, pool: str) -> Session:
    # Systems spell the accents in the name of a file in two ways.
    text = json.dumps([seed, unicodedata.normalize("NFC", student), pool])
    number = int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    return sorted(sessions, key=lambda session: session.id)[number % len(sessions)]


def case_counts(suite: Suite) -> tuple[int, int]:
    """Return how many public and how many other cases of `suite` each student faces."""
    public = _case_ids(suite, is_public=True)
    return len(public), len(_case_ids(suite, is_public=False))


def _case_ids(suite: Suite, *, is_public: bool) -> set[str]:
    """Return the ids of cases; alternatives share theirs."""
    return {
        case.id
        for session in suite.sessions
        if (session.visibility is Visibility.PUBLIC) is is_public
        for case in session.cases
    }
