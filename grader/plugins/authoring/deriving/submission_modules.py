"""Finds the module that defines a name or that an example tests, in exercises of several modules.

An import of names in a spec becomes one step for each name, `Item = item.Item`, so that a missing
name does not affect the others. An example tests the last module that it needs. Each module has a
session for its examples. In that session, earlier modules only prepare, and they can be replaced
with the reference's modules.
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
from grader.sandbox.planning import read_names
from grader.suite.code import named_files, parse_code
from grader.values.foreign_text import one_line

_NO_MODULE: Final = -1
"""The module index of an example that needs no module."""
_ADVICE_ON_UNDEFINED: Final = "define it in the reference, or remove it from `defines`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Modules:
    """The modules of an exercise, in an order in which later ones use earlier ones."""

    names: tuple[str, ...]
    defined: Mapping[str, Collection[str]]
    """The top-level names that each module of the reference defines, keyed by module name."""

    @classmethod
    def of(cls, sources: Mapping[str, str]) -> Modules:
        """Return the modules of the reference with these `sources`, keyed by name."""
        defined = {
            module: frozenset(_defined_names(module, text)) for module, text in sources.items()
        }
        return cls(names=tuple(sources), defined=defined)

    def qualify_names(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return the `names` in `defines`, each with its module.

        A name that is written without its module must be defined in exactly one module. Raises
        `UsageError` if it is not.
        """
        return tuple(name if "." in name else self._qualify_name(name) for name in names)

    def _qualify_name(self, name: str) -> str:
        """Return `name` with its module. Raises `UsageError` unless just one module defines it."""
        owners = self._owners(name, ())
        if len(owners) == 1:
            return f"{owners[0]}.{name}"
        if not owners:
            raise UsageError(
                f"`defines` lists {name}, but no module of the reference defines it",
                help=_ADVICE_ON_UNDEFINED,
            )
        raise UsageError(
            f"`defines` lists {name} without its module, but it is defined in"
            f" {_file_names(owners)}",
            help=f"write it with its module, for example {owners[0]}.{name}",
        )

    def bind_names(self, examples: Iterable[Example]) -> list[Example]:
        """Return `examples` with each import of these modules replaced with steps.

        Each step binds a single name. Names that are used without an import are bound first.
        Raises `SpecError` if several modules define a name that is used without an import.
        """
        first, rest, star_modules = list[Example](), list[Example](), list[str]()
        bound = {*self.names}
        for example in examples:
            bindings = self._bind_imports(example, star_modules)
            missing = parse_code(example.code).reads - bound if bindings is None else ()
            for name in sorted(missing):  # sorted, because a suite must be reproducible
                if owner := self._owner(name, star_modules, example.line):
                    first.append(_binding(name, owner, name, example.line))
                    bound.add(name)
            for binding in bindings or ():
                (name,) = parse_code(binding.code).binds
                # A name that is bound again must be rebound where the spec does so.
                (rest if name in bound else first).append(binding)
                bound.add(name)
            if bindings is None:
                rest.append(example)
                bound.update(parse_code(example.code).binds)
        return [*first, *rest]

    def _bind_imports(self, example: Example, star_modules: list[str]) -> list[Example] | None:
        """Return the steps that replace `example`, or None if it does not import these modules.

        Modules from which `example` imports `*` are appended to `star_modules`.
        """
        match ast.parse(example.code).body:
            case [ast.Import(names=names)] if all(
                imported.name in self.names for imported in names
            ):
                pairs = ((imported.asname, imported.name) for imported in names if imported.asname)
                return [_binding_step(alias, module, example.line) for alias, module in pairs]
            case [ast.ImportFrom(module=str(module), names=names, level=0)] if module in self.names:
                star_modules += [module for imported in names if imported.name == "*"]
                return [
                    _binding(imported.asname or imported.name, module, imported.name, example.line)
                    for imported in names
                    if imported.name != "*"
                ]
        return None

    def _owners(self, name: str, star_modules: Collection[str]) -> list[str]:
        """Return the modules that define `name`: those in `star_modules`, or else all of them."""
        # A name that `from module import *` might have bound comes from that module.
        owners = [module for module in self.names if name in self.defined[module]]
        return [module for module in owners if module in star_modules] or owners

    def _owner(self, name: str, star_modules: Collection[str], line: int) -> str | None:
        """Return the module that defines `name`, or None. Raises `SpecError` if several do."""
        owners = self._owners(name, star_modules)
        if len(owners) > 1:
            raise SpecError(
                line,
                f"{name} is defined in {_file_names(owners)}, and the spec does not import it from "
                "one of them",
                help="start the session with an import, for example:"
                f" >>> from {owners[0]} import {name}",
            )
        return owners[0] if owners else None

    def sessions(
        self, session: DerivedSession, effects: Sequence[Effect]
    ) -> Iterator[DerivedSession]:
        """Yield a session for each module that `session` tests.

        `effects` has the effect of each step.
        """
        pairs = session.pairs
        owners = self._find_owners(pairs, effects)
        for module_index, module in enumerate(self.names):
            is_case = [
                owner == module_index and not draft.example.is_setup
                for owner, (draft, _) in zip(owners, pairs, strict=True)
            ]
            if any(is_case):
                indexes = _choose_steps(pairs, effects, owners, module_index)
                steps = tuple(
                    _mark_as_setup(pairs[i]) if owners[i] < module_index else pairs[i]
                    for i in indexes
                )
                used_names = {name for draft, _ in steps for name in read_names(draft.code)}
                uses = tuple(name for name in self.names[:module_index] if name in used_names)
                yield DerivedSession(steps, session.is_separate, (*uses, module))

    def _find_owners(self, pairs: Sequence[Pair], effects: Sequence[Effect]) -> list[int]:
        """Return the index of the module that each of `pairs` tests, or `_NO_MODULE`."""
        owner_of = {module: index for index, module in enumerate(self.names)}
        owners = [_NO_MODULE] * len(pairs)
        for index, ((draft, _), effect) in enumerate(zip(pairs, effects, strict=True)):
            used_names = [*read_names(draft.code), *map(repr, named_files(draft.code))]
            owner = max(
                owners[index], *(owner_of.get(name, _NO_MODULE) for name in used_names), _NO_MODULE
            )
            owner_of.update(dict.fromkeys(draft.binds, owner))
            owner_of.update({name: max(owner, owner_of.get(name, 0)) for name in effect.changed})
            owners[index] = owner
            for later in effect.alters:
                owners[later] = max(owners[later], owner)
        return owners


def _choose_steps(
    pairs: Sequence[Pair], effects: Sequence[Effect], owners: Sequence[int], module_index: int
) -> list[int]:
    """Return the indexes of the `pairs` in the session of the module at `module_index`.

    These are the pairs that test the module, and the earlier pairs that they need. `owners` has the
    index of the module that each pair tests.
    """
    indexes, needed_names = list[int](), set[str]()
    # Backwards, because a step needs only earlier ones.
    for index in range(len(pairs) - 1, -1, -1):
        draft, _ = pairs[index]
        is_named = not needed_names.isdisjoint(draft.binds)
        is_needed = is_named or not {*indexes}.isdisjoint(effects[index].alters)
        # A refused step should change nothing, so no later step needs it.
        is_refused = draft.want is DraftExpectation.RAISES
        is_preparation = owners[index] < module_index and is_needed and not is_refused
        if owners[index] == module_index or is_preparation:
            indexes.insert(0, index)
            needed_names = (needed_names - {*draft.binds}) | read_names(draft.code)
    return indexes


def _mark_as_setup(pair: Pair) -> Pair:
    draft, proof = pair
    example = replace(draft.example, is_setup=True, note=None)
    return replace(draft, example=example), replace(proof, expectation={})


def _binding(alias: str, module: str, name: str, line: int) -> Example:
    return _binding_step(alias, f"{module}.{name}", line)


def _binding_step(alias: str, code: str, line: int) -> Example:
    return Example(code=f"{alias} = {code}", line=line, is_setup=True)


def _file_names(modules: Iterable[str]) -> str:
    return " and in ".join(f"{module}.py" for module in modules)


def _defined_names(module: str, source: str) -> Iterator[str]:
    """Yield the names that `source` defines at its top level, except imported ones.

    Raises `SpecError` if `source` is not Python.
    """
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
