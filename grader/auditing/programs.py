"""Wrong programs to hold a suite against: mutants, misconceptions, and the wrong solutions at hand.

All of them are ours: they are made of the reference, or lie beside it in `faulty`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum, unique
from pathlib import Path
from typing import Final

from grader.auditing.asked import idle_parts
from grader.auditing.bench import Sources
from grader.intake.source_text import decode_source
from grader.mutating import Mutant, misconceptions, mutants

_UNSEEN: Final = "unseen"
"""The folder, among the wrong solutions, of those that no example of the spec shows to be wrong."""


@unique
class Kind(StrEnum):
    """Where a wrong program comes from."""

    MUTANT = "mutant"
    """One small change of syntax."""
    MISCONCEPTION = "misconception"
    """What a student might think."""
    SAMPLE = "sample"
    """A wrong solution that lies beside the reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongProgram:
    """A program that should not pass."""

    id: str
    kind: Kind
    sources: Sources
    mutant: Mutant | None = None
    """What was changed, unless it is a sample."""

    @property
    def remembers(self) -> bool:
        """Whether it may remember something from one session to the next."""
        return self.kind is not Kind.MUTANT


def wrong_programs(
    reference: Mapping[str, str], defines: Collection[str], faulty: Path
) -> list[WrongProgram]:
    """Return all wrong programs that can be made of `reference`, and those in the folder `faulty`.

    `reference` has the text of each module that is handed in, by name. What does not belong to the
    names in `defines` is left as it is.
    """
    idle = idle_parts(reference, defines)
    made = [
        WrongProgram(
            id=mutant.id,
            kind=Kind.MISCONCEPTION if mutant.misconception else Kind.MUTANT,
            sources={**reference, module: mutant.source},
            mutant=mutant,
        )
        for module, source in reference.items()
        for mutate in (mutants, misconceptions)
        for mutant in mutate(module, source)
        if not any(first <= mutant.line <= last for first, last in idle[module])
    ]
    return [*made, *samples(faulty, reference)]


def samples(folder: Path, reference: Mapping[str, str]) -> Iterator[WrongProgram]:
    """Yield the programs in `folder`: a file, or a folder with files, for each.

    A module that one does not have is that of the `reference`.
    """
    for path in sorted([*folder.glob("*"), *folder.glob(f"{_UNSEEN}/*")]):
        sources = _sources(path, tuple(reference))
        if sources:
            kind = Kind.SAMPLE
            name = path.relative_to(folder).with_suffix("").as_posix()
            yield WrongProgram(id=name, kind=kind, sources={**reference, **sources})


def _sources(path: Path, modules: Sequence[str]) -> dict[str, str]:
    if path.is_file():
        return {modules[0]: _text(path)} if path.suffix == ".py" else {}
    return {name: _text(file) for name in modules if (file := path / f"{name}.py").is_file()}


def _text(path: Path) -> str:
    return decode_source(path.read_bytes(), path.name).text
