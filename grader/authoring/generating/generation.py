"""From a generator to a hidden suite: candidates, what they kill, few of them, and others as good.

1.  Scripts, directed and drawn, become sessions on the reference.
2.  Every wrong program that can be made of the reference runs on all of them: the kill matrix.
3.  Few are chosen that kill together what all of them kill; what is idle in these is left out.
4.  A session that was drawn gets alternatives: the same draws under another symmetry of the
    exercise. A student gets one of each such pool. Whatever is drawn, the sessions of a student
    kill the same programs together.

Steps 3 and 4 look closely at programs that few of the candidates kill. The others, which nearly
every choice kills, are tried on what was chosen in the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from grader.authoring.auditing.kill_matrix import kills
from grader.authoring.auditing.mutant_runner import ProgramResult
from grader.authoring.generating.candidates import scripts, session_documents
from grader.authoring.generating.choosing import Candidate, busy_cases, choose, trimmed
from grader.authoring.generating.evaluator import ENOUGH_KILLS, Document, Evaluator
from grader.authoring.generating.scripts import Draws
from grader.suite.model import Session

MAX_SESSIONS: Final = 30
"""In a hidden suite, the alternatives in pools included."""
_USUAL_SLOTS: Final = 18
_MAX_SLOTS: Final = 26
"""There are more slots than usual where programs would survive otherwise."""
_ALTERNATIVES: Final = 3
_MOST_TRIED: Final = 4
"""Of the alternatives to a session."""
_CASES_PER_GROUP: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPool:
    """A session of the hidden suite, and the alternatives to it."""

    documents: tuple[Document, ...]
    kills: frozenset[str]
    """The programs that each of them kills."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationResult:
    """The result of generating."""

    slots: tuple[SessionPool, ...]
    candidates: int
    """How many sessions there were to choose from."""
    programs: int
    killed: frozenset[str]
    """Those of the wrong programs that the chosen sessions kill, whatever is drawn."""
    missed: int
    """How many more some candidate seemed to kill."""


def generate(evaluator: Evaluator, seed: str, count: int) -> GenerationResult:
    """Return the sessions for `seed`, chosen of the directed ones and `count` that are drawn."""
    drawn = scripts(evaluator.generator, seed, count)
    # Shuffled, because a program that is often killed is not tried on the last ones: in their own
    # order the directed sessions, which come first, would seem to kill everything.
    made = Draws(seed).shuffled(session_documents(evaluator.oracle, drawn))
    documents = {f"c{number}": document for number, (_, document) in enumerate(made)}
    seeds = {f"c{number}": drawn_from for number, (drawn_from, _) in enumerate(made)}
    suite, matrix = evaluator.matrix(documents, roughly=True)
    sessions = {session.id: session for session in suite.sessions}
    chosen = choose(
        [_candidate(session, matrix) for session in suite.sessions],
        usual=_USUAL_SLOTS,
        most=_MAX_SLOTS,
        group_cases=_CASES_PER_GROUP,
    )
    own = [sessions[candidate.id] for candidate in chosen]
    needed = [pair for pair in zip(own, _busy(own, matrix), strict=True) if pair[1]]
    slots = _strong_slots(evaluator, matrix, needed, documents, seeds)
    candidates = frozenset(name for name, failures in matrix.items() if failures.killed)
    loads = frozenset(name for name, failures in matrix.items() if not failures.loads)
    killed = loads.union(*(slot.kills for slot in slots))
    return GenerationResult(
        slots=tuple(slots),
        candidates=len(documents),
        programs=len(evaluator.programs),
        killed=killed,
        missed=len(candidates - killed),
    )


def _candidate(session: Session, matrix: Mapping[str, ProgramResult]) -> Candidate:
    return Candidate(
        id=session.id,
        steps=len(session.steps),
        kills=kills(matrix, session),
        groups=Counter(case.group for case in session.cases),
    )


def _busy(sessions: Sequence[Session], matrix: Mapping[str, ProgramResult]) -> list[frozenset[str]]:
    """Return the cases of each of `sessions` that are needed."""
    spare = Counter(case.group for session in sessions for case in session.cases)
    spare.subtract(dict.fromkeys(spare, _CASES_PER_GROUP))
    return [
        busy_cases(
            session,
            [failures.cases.get(session.id, frozenset()) for failures in matrix.values()],
            spare,
        )
        for session in sessions
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pick:
    """A chosen session in the form that is kept, and what might stand for it."""

    name: str
    document: Document
    kills: frozenset[str]
    others: tuple[Document, ...]


def _strong_slots(
    evaluator: Evaluator,
    matrix: Mapping[str, ProgramResult],
    needed: Sequence[tuple[Session, frozenset[str]]],
    documents: Mapping[str, Document],
    seeds: Mapping[str, str],
) -> list[SessionPool]:
    """Return slots for what is `needed`, chosen on few programs and tried on all of them.

    What the slots turn out to miss is looked at closely as well, until they miss nothing more.
    """
    failed = {name: len(failures.cases) for name, failures in matrix.items() if failures.cases}
    close = {name for name, count in failed.items() if count < ENOUGH_KILLS}
    # Each round tries only the programs in `close`. It ends, as `close` grows until it has all.
    while True:
        few = [program for program in evaluator.programs if program.id in close]
        pools = _pools(replace(evaluator, programs=few), needed, documents, seeds)
        slots = _slots(evaluator, pools)
        missed = failed.keys() - close - frozenset[str]().union(*(slot.kills for slot in slots))
        if not missed:
            return slots
        close |= missed


def _slots(evaluator: Evaluator, pools: Sequence[Sequence[Document]]) -> list[SessionPool]:
    """Return the slots of the sessions in `pools`, with what each of these kills."""
    names = [[f"p{one}-{two}" for two in range(len(pool))] for one, pool in enumerate(pools)]
    made = dict(zip(chain(*names), chain(*pools), strict=True))
    killed = _kills(evaluator, made)
    return [
        # Only what every session of a pool kills is sure: a student may draw any of them.
        SessionPool(
            documents=tuple(pool), kills=frozenset.intersection(*(killed[each] for each in own))
        )
        for own, pool in zip(names, pools, strict=True)
    ]


def _pools(
    evaluator: Evaluator,
    needed: Sequence[tuple[Session, frozenset[str]]],
    documents: Mapping[str, Document],
    seeds: Mapping[str, str],
) -> list[list[Document]]:
    """Return a pool for each session with cases that are `needed`: it, and alternatives to it.

    There are as many of these as there is room for.
    """
    picks = _picks(evaluator, needed, documents, seeds)
    made = {pick.name: pick.document for pick in picks}
    killed = {pick.name: pick.kills for pick in picks}
    names = [[pick.name] for pick in picks]
    others: dict[str, Document] = {}
    for pick, own in zip(picks, names, strict=True):
        for number, document in enumerate(pick.others, start=1):
            own.append(f"{pick.name}-{number}")
            others[own[-1]] = document
    made |= others
    killed |= _kills(evaluator, others)
    pools = pooled(names, killed, most=MAX_SESSIONS)
    return [[made[name] for name in own] for own in pools]


def _picks(
    evaluator: Evaluator,
    needed: Sequence[tuple[Session, frozenset[str]]],
    documents: Mapping[str, Document],
    seeds: Mapping[str, str],
) -> list[_Pick]:
    """Return sessions with the cases that are `needed`, if they kill as much without the others.

    Cases may be needed after all: an earlier look can bring about what a later one sees.
    """
    whole = {session.id: documents[session.id] for session, _ in needed}
    short = {
        f"{session.id}-0": trimmed(documents[session.id], session, cases)
        for session, cases in needed
    }
    killed = _kills(evaluator, {**whole, **short})
    picks = []
    for session, cases in needed:
        name, own = session.id, documents[session.id]
        # From the whole session: only there the same draws give the same structure.
        turned = _alternatives(evaluator, own, seeds[name])
        kept = own
        # A shorter form that kills less is given up: a wrong program may need the cases left out to
        # get into the state in which it fails.
        if killed[f"{name}-0"] >= killed[name]:
            name, kept = f"{name}-0", short[f"{name}-0"]
            turned = [trimmed(each, session, cases) for each in turned]
        others = {repr(each["steps"]): each for each in turned}
        others.pop(repr(kept["steps"]), None)
        few = tuple(others.values())[:_MOST_TRIED]
        picks.append(_Pick(name=name, document=kept, kills=killed[name], others=few))
    return picks


def _kills(evaluator: Evaluator, documents: Mapping[str, Document]) -> dict[str, frozenset[str]]:
    """Return the programs that each of `documents` kills, each session apart where that matters."""
    if not documents:
        return {}
    suite, matrix = evaluator.matrix(documents)
    return {session.id: kills(matrix, session) for session in suite.sessions}


def _alternatives(evaluator: Evaluator, own: Document, drawn_from: str) -> list[Document]:
    """Return the sessions from the same draws under other symmetries, where they look the same."""
    if not drawn_from:
        return []
    generator = evaluator.generator
    turned = (
        evaluator.oracle.session(generator.session(Draws(drawn_from), number))
        for number in range(1, generator.symmetries)
    )
    return [other for other in turned if _shape(other) == _shape(own)]


def _shape(document: Document) -> list[str | None]:
    return [step.get("group") for step in document["steps"]]


def pooled(
    slots: Sequence[Sequence[str]], killed: Mapping[str, frozenset[str]], most: int
) -> list[list[str]]:
    """Return the first session of each of `slots`, and alternatives to it, `most` in all.

    `killed` are the programs that each session kills. An alternative is taken if, whatever is drawn
    of each slot, all of the programs are killed that the first ones kill. Slots get them in turn.
    """
    pools = [[names[0]] for names in slots]
    sure = [killed[names[0]] for names in slots]
    wanted = frozenset[str]().union(*sure)
    for _ in range(1, _ALTERNATIVES):
        for index, names in enumerate(slots):
            others = frozenset[str]().union(*sure[:index], *sure[index + 1 :])
            for name in names:
                # What this slot kills for sure shrinks with each alternative; the rest has to be
                # killed by what the other slots kill for sure.
                common = sure[index] & killed[name]
                has_room = sum(map(len, pools)) < most and name not in pools[index]
                if has_room and others | common >= wanted:
                    pools[index].append(name)
                    sure[index] = common
                    break
    return pools
