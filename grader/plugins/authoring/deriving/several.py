"""Exercises of several modules: finds the module of a name, and of each example.

Imports of names in a spec become one step per name, `Item = item.Item`, so that a missing name does
not cost the others. An example tests the last module that it needs. Each module has a session for
its examples, in which earlier modules only prepare, and may be replaced by those of the reference.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from grader.errors import UsageError
from grader.plugins.authoring.deriving.document import DerivedSession, Pair
from grader.plugins.authoring.deriving.doubts import SpecError
from grader.plugins.authoring.deriving.drafts import DraftExpectation
from grader.plugins.authoring.deriving.effects import Effect
from grader.plugins.authoring.deriving.examples import Example
from grader.sandbox.planning import names_read
from grader.suite.code import named_files, parse_code
from grader.values.foreign_text import one_line

_NO_PLACE: Final = -1
"""The place of an example that needs no module."""
_ADVICE_ON_UNDEFINED: Final = "define it in the reference, or leave it out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Modules:
    """The modules of an exercise, in order: later ones use earlier ones."""

    names: tuple[str, ...]
    defined: Mapping[str, Collection[str]]
    """The top-level names of each module of the reference."""

    @classmethod
    def of(cls, sources: Mapping[str, str]) -> Modules:
        """Return the modules with these `sources`."""
        defined = {module: frozenset(_defined(module, text)) for module, text in sources.items()}
        return cls(names=tuple(sources), defined=defined)

    def dotted(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return `names`, from `defines`, each with its module; raises `UsageError`."""
        return tuple(name if "." in name else self._dotted(name) for name in names)

    def _dotted(self, name: str) -> str:
        owners = self._owners(name, ())
        if len(owners) == 1:
            return f"{owners[0]}.{name}"
        advice = (
            f"write it with its module, such as {owners[0]}.{name}"
            if owners
            else _ADVICE_ON_UNDEFINED
        )
        raise UsageError(
            f"{name}, listed in `defines`, is defined in {_files(owners) or 'no module'}",
            help=advice,
        )

    def bound(self, examples: Iterable[Example]) -> list[Example]:
        """Return `examples` with steps that bind single names instead of imports of these modules.

        Raises `SpecError` for a name that several modules define.
        """
        first, rest, stars = list[Example](), list[Example](), list[str]()
        known = {*self.names}
        for example in examples:
            found = self._imported(example, stars)
            missing = parse_code(example.code).reads - known if found is None else ()
            for name in sorted(missing):  # a set has any order, a suite the same each time
                if owner := self._owner(name, stars, example.line):
                    first.append(_binding(name, owner, name, example.line))
                    known.add(name)
            for each in found or ():
                (binds,) = parse_code(each.code).binds
                # A name that is bound again must be so at its own place.
                (rest if binds in known else first).append(each)
                known.add(binds)
            if found is None:
                rest.append(example)
                known.update(parse_code(example.code).binds)
        return [*first, *rest]

    def _imported(self, example: Example, stars: list[str]) -> list[Example] | None:
        """Return the steps that replace `example`, an import of these modules; else None."""
        match ast.parse(example.code).body:
            case [ast.Import(names=names)] if all(each.name in self.names for each in names):
                pairs = ((each.asname, each.name) for each in names if each.asname)
                return [_bound_as(alias, module, example.line) for alias, module in pairs]
            case [ast.ImportFrom(module=str(module), names=names, level=0)] if module in self.names:
                stars += [module for each in names if each.name == "*"]
                return [
                    _binding(each.asname or each.name, module, each.name, example.line)
                    for each in names
                    if each.name != "*"
                ]
        return None

    def _owners(self, name: str, stars: Collection[str]) -> list[str]:
        # Names of `from module import *` come from that module.
        owners = [module for module in self.names if name in self.defined[module]]
        return [module for module in owners if module in stars] or owners

    def _owner(self, name: str, stars: Collection[str], line: int) -> str | None:
        owners = self._owners(name, stars)
        if len(owners) > 1:
            raise SpecError(
                line,
                f"{name} is defined in {_files(owners)}, and the spec does not say which of them "
                "is meant",
                help=f"start the session with its import: >>> from {owners[0]} import {name}",
            )
        return owners[0] if owners else None

    def sessions(
        self, session: DerivedSession, effects: Sequence[Effect]
    ) -> Iterator[DerivedSession]:
        """Yield a session for each module that `session` tests; `effects` are of its steps."""
        pairs = session.pairs
        places = self._places(pairs, effects)
        for place, module in enumerate(self.names):
            is_case = [
                each == place and not draft.example.is_setup
                for each, (draft, _) in zip(places, pairs, strict=True)
            ]
            if any(is_case):
                chosen = _chosen(pairs, effects, places, place)
                own = tuple(_as_setup(pairs[i]) if places[i] < place else pairs[i] for i in chosen)
                read = {name for draft, _ in own for name in names_read(draft.code)}
                uses = tuple(each for each in self.names[:place] if each in read)
                yield DerivedSession(own, session.is_own, (*uses, module))

    def _places(self, pairs: Sequence[Pair], effects: Sequence[Effect]) -> list[int]:
        """Return the index in `names` of the module that each of `pairs` tests."""
        of_name = {module: place for place, module in enumerate(self.names)}
        places = [_NO_PLACE] * len(pairs)
        for index, ((draft, _), effect) in enumerate(zip(pairs, effects, strict=True)):
            read = [*names_read(draft.code), *map(repr, named_files(draft.code))]
            place = max(places[index], *(of_name.get(name, _NO_PLACE) for name in read), _NO_PLACE)
            of_name.update(dict.fromkeys(draft.binds, place))
            of_name.update({each: max(place, of_name.get(each, 0)) for each in effect.changed})
            places[index] = place
            for later in effect.alters:
                places[later] = max(places[later], place)
        return places


def _chosen(
    pairs: Sequence[Pair], effects: Sequence[Effect], places: Sequence[int], place: int
) -> list[int]:
    """Return the indexes of `pairs` in the session of the module at `place`, with their needs."""
    chosen, wanted = list[int](), set[str]()
    # Backwards, as needs are earlier steps.
    for index in range(len(pairs) - 1, -1, -1):
        draft, _ = pairs[index]
        is_named = not wanted.isdisjoint(draft.binds)
        is_needed = is_named or not {*chosen}.isdisjoint(effects[index].alters)
        is_refused = draft.want is DraftExpectation.RAISES
        if places[index] == place or (places[index] < place and is_needed and not is_refused):
            chosen.insert(0, index)
            wanted = (wanted - {*draft.binds}) | names_read(draft.code)
    return chosen


def _as_setup(pair: Pair) -> Pair:
    draft, proof = pair
    example = replace(draft.example, is_setup=True, note=None)
    return replace(draft, example=example), replace(proof, expectation={})


def _binding(alias: str, module: str, name: str, line: int) -> Example:
    return _bound_as(alias, f"{module}.{name}", line)


def _bound_as(alias: str, code: str, line: int) -> Example:
    return Example(code=f"{alias} = {code}", line=line, is_setup=True)


def _files(modules: Iterable[str]) -> str:
    return " and in ".join(f"{module}.py" for module in modules)


def _defined(module: str, source: str) -> Iterator[str]:
    """Yield the names that `source` defines at its top level, without imports."""
    try:
        body = ast.parse(source, f"{module}.py").body
    except (SyntaxError, ValueError) as error:
        raise SpecError(
            1,
            f"the reference cannot be loaded: {type(error).__name__}: {one_line(str(error))}",
            help="fix the reference, and derive again",
        ) from error
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.Assign() | ast.AnnAssign():
                yield from parse_code(ast.unparse(node)).binds
