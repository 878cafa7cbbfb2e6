"""Rewrites sessions so that lists, sets and dicts that are passed as arguments have names.

The names allow checking afterwards that the submission has not changed them.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final, NamedTuple

from grader.protocol import HIGHEST_CAPS
from grader.sandbox.observation import Returned
from grader.sandbox.planning import Item, Role, read_names, whole_session
from grader.sandbox.session_runs import SessionRun
from grader.suite.code import written_files
from grader.suite.session import Session
from grader.values.display import short_value
from grader.values.equality import equal
from grader.values.foreign_text import one_line
from grader.values.literals import parse_literal

_CODE_CHARS: Final = 400
_VALUE_CHARS: Final = 120
_NAME_TEMPLATE: Final = "_given_{number}_"
"""The names of argument containers. They are unlikely to occur in a suite."""
_CONTAINERS: Final = ast.List | ast.Set | ast.Dict
_COMPREHENSIONS: Final = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_RUNS_LATER: Final = (ast.Lambda, ast.FunctionDef, ast.ClassDef, ast.For, ast.While)


class PassedArguments(NamedTuple):
    """The plan of a session, followed by looks at the containers that it passes as arguments."""

    items: tuple[Item, ...]
    sources: Mapping[str, str]
    """The original source of each container, keyed by the code of its look."""
    passed_by: Mapping[str, str]
    """The step that passes each container, keyed by the code of its look."""


# Cached, because the plan is the same for all submissions of a class.
@lru_cache(1024)
def with_named_arguments(session: Session, number: int) -> PassedArguments:
    """Return the plan of `session` with names for argument containers.

    For instance, `YinYang(3, [(0, 1)])` becomes `_given_1_ = [(0, 1)]` and `YinYang(3, _given_1_)`.
    The names of files that the session writes get the `number` of the session, so that they are
    unique: it is legitimate to cache files by name.
    """
    sources = dict(_named_containers(session))
    files = {
        name: f"{folder}{slash}{number}_{base}"
        for name in written_files(step.code for step in session.steps)
        for folder, slash, base in [name.rpartition("/")]
    }
    items: list[Item] = []
    passed_by: dict[str, str] = {}
    for item in whole_session(session, observed=False):
        known_count = len(sources)
        code = _ContainerNamer(sources, files).code(item.code)
        # Dicts keep insertion order, so the names after the known ones are new.
        new_names = list(sources)[known_count:]
        items += (
            _look_item(item, f"{name} = {sources[name]}", is_expression=False) for name in new_names
        )
        items.append(replace(item, code=code))
        new_names += sources.keys() & read_names(code)
        passed_by |= {name: item.code for name in new_names if name not in passed_by}
    # The looks come last, because any later step could still change a container.
    looks = (_look_item(items[-1], name, is_expression=True) for name in sources)
    return PassedArguments((*items, *looks), sources, passed_by)


def _look_item(item: Item, code: str, *, is_expression: bool) -> Item:
    return Item(role=Role.LOOK, step_index=item.step_index, code=code, is_expression=is_expression)


def _named_containers(session: Session) -> Iterator[tuple[str, str]]:
    """Yield each name that `session` binds only once, to a container literal, with the source."""
    trees = [ast.parse(step.code) for step in session.steps]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    bound = Counter(n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    possibly_changed = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.value, ast.Name)
    }
    for tree in trees:
        match tree.body:
            case [ast.Assign(targets=[ast.Name(id=name)], value=value)] if _is_container(value):
                # The session itself can change names that it rebinds, indexes or calls methods on.
                if bound[name] == 1 and name not in possibly_changed:
                    yield name, ast.unparse(value)


class _ContainerNamer(ast.NodeTransformer):
    """Replaces container literals that are arguments of calls with names."""

    def __init__(self, sources: dict[str, str], files: Mapping[str, str]) -> None:
        """Prepare to add new names to `sources`; `files` maps old to new file names."""
        self._sources: Final = sources
        self._files: Final = files

    def code(self, code: str) -> str:
        """Return `code` with names in place of containers, and with files renamed.

        Adds the names and the sources of the containers to the mapping of sources.
        """
        tree = ast.parse(code)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                node.value = self._files.get(node.value, node.value)
        return ast.unparse(ast.fix_missing_locations(self.visit(tree)))

    def visit(self, node: ast.AST) -> ast.AST:
        """Visit `node`, except code that runs repeatedly or later.

        Such code creates a new container each time.
        """
        if isinstance(node, _COMPREHENSIONS):
            # Only the first iterable is evaluated once, outside the comprehension.
            first = node.generators[0]
            first.iter = self._name_container(self.visit(first.iter))
            return node
        return node if isinstance(node, _RUNS_LATER) else super().visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Replace container literals among the arguments with names."""
        self.generic_visit(node)
        node.args = [self._name_container(argument) for argument in node.args]
        for keyword in node.keywords:
            keyword.value = self._name_container(keyword.value)
        return node

    def _name_container(self, node: ast.AST) -> ast.expr:
        """Return a new name for `node` and record its source, or `node` if it is no container."""
        assert isinstance(node, ast.expr), "arguments and iterables are expressions"
        if not _is_container(node):
            return node
        name = _NAME_TEMPLATE.format(number=len(self._sources) + 1)
        self._sources[name] = ast.unparse(node)
        return ast.Name(name, ast.Load())


def _is_container(node: ast.expr) -> bool:
    """Return whether `node` is a list, set or dict literal with constant contents."""
    try:
        return isinstance(node, _CONTAINERS) and ast.literal_eval(node) is not None
    except (ValueError, TypeError):  # TypeError: an element is unhashable, as in {[1]}
        return False


def first_mutated_argument(run: SessionRun, plan: PassedArguments) -> Mapping[str, str] | None:
    """Return the message parameters for the first argument container that `run` mutated.

    Return None if `run` mutated none.
    """
    for item, observation in zip(run.plan, run.observations, strict=True):
        if item.code not in plan.sources or not isinstance(observation.outcome, Returned):
            continue
        name, after = item.code, observation.outcome.value
        before = parse_literal(plan.sources[name], HIGHEST_CAPS)
        if not equal(before, after):
            return {
                "code": one_line(plan.passed_by.get(name, name), _CODE_CHARS),
                "before": short_value(before, _VALUE_CHARS),
                "after": short_value(after, _VALUE_CHARS),
            }
    return None
