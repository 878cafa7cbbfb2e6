"""What all rules of a suite share: their keys, their checks, and the interface of a kind.

A *rule* demands something of the structure of a submission: that a function is recursive, that a
construct is not used, that a function takes constant time. An entry of the file and the rule in
memory are the same model. The judge defines the kinds, and passes them to the loader.
"""

from __future__ import annotations

import types
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, TypeAlias

from grader.messages import Message
from grader.suite.diagnostics import quoted
from grader.suite.fields import Form, Id, key, optional
from grader.suite.steps import Group

if TYPE_CHECKING:  # with it comes YAML, and most suites were read before
    from grader.suite.document import Findings, NodePath

ONE_COST: Final[dict[str, Any]] = {"not": {"required": ["points", "cap"]}}
"""Part of the JSON Schema: a rule has `points` or `cap`, not both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScope:
    """The names that the entry of a rule may use, and where its mistakes are reported.

    Paths are relative to the entry.
    """

    findings: Findings
    path: NodePath
    """The path of the entry."""
    functions: tuple[str, ...]
    """The names that a submission must or may define."""
    module: str
    """The module that is handed in, if it is a single one."""
    modules: tuple[str, ...]
    """The modules that are handed in, if there are several."""
    given: tuple[str, ...]
    """Modules of given code."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names bound for steps of a probe: several modules, or the names of a single one."""
        return self.modules or self.functions

    def at_value(self, path: NodePath, message: str, advice: str | None) -> None:
        """Report `message` about the value at `path`."""
        self.findings.at_value((*self.path, *path), message, advice)

    def at_key(self, key: str, message: str, advice: str) -> None:
        """Report `message` about the `key` of the entry."""
        self.findings.at_key((*self.path, key), message, advice)

    def check_repeated(self, what: str, key: str) -> None:
        """Report each repeated `what` in the list at `key`."""
        self.findings.repeated(what, (*self.path, key))

    def knows(self, function: str) -> bool:
        """Return whether submissions define `function`, or the class that it is a method of."""
        return not {function, function.rpartition(".")[0]}.isdisjoint(self.functions)

    def check_function(self, path: NodePath, name: str) -> None:
        """Report the function `name` at `path` if submissions do not define it."""
        if not self.knows(name):
            choices = "functions in `defines` and `helpers`"
            self.findings.unknown("function", (*self.path, *path), name, self.functions, choices)

    def check_functions(self, key: str, names: Iterable[str]) -> None:
        """Report each unknown function of `names`, the list at `key`."""
        for index, name in enumerate(names):
            self.check_function((key, index), name)


class Rule(Form, ABC, json_schema_extra=ONE_COST):
    """The base of all rules: their name, and the cost of breaking them."""

    kind: ClassVar[str]
    """The key of such rules in `rules`."""
    summary: ClassVar[str]
    """The description of that key."""
    example: ClassVar[dict[str, Any]]
    """An example of such a rule in YAML."""
    most: ClassVar[int | None] = None
    """How many of them a suite may have; None for any number."""

    def __init_subclass__(cls, **config: Any) -> None:
        """Set the name that messages use for such rules."""
        super().__init_subclass__(**config)
        cls.called = f"a rule on {getattr(cls, 'kind', 'something')}"

    id: Id = key(
        "Name of the rule within its kind. Default: what it is about.",
        "make_board-iterative",
        default="",
    )
    points: float | None = optional(
        "Penalty for breaking it, from the group if it has one, else from the total. Without "
        "points and cap the rule is a remark.",
        2,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
    )
    cap: float | None = optional(
        "Instead of points: the most that a submission that breaks it keeps of the group.",
        0,
        ge=0,
        le=1_000_000,
        allow_inf_nan=False,
    )
    group: Id | None = optional(
        "The group that pays. Default: the one named like the function, without its module.",
        "make_board",
    )
    line: int | None = optional(
        "Line of the spec that asks for it, counted from 1.", 172, ge=1, le=1_000_000
    )

    @property
    def costs(self) -> bool:
        """Whether breaking it can cost points."""
        return self.points is not None or self.cap is not None

    @property
    def about(self) -> str | None:
        """The function that it is about, or None if it is not about exactly one."""
        return None

    @property
    def name(self) -> str | None:
        """The default of its id after the kind; None for a number."""
        return self.about or ""

    def apart(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield the rules in this entry, each with its path in the entry."""
        yield (), self

    def check(self, scope: RuleScope) -> None:
        """Report to `scope` where this entry contradicts the rest of the suite."""

    def completed(self, scope: RuleScope) -> Self:
        """Return this rule, completed from the rest of the suite."""
        # Only kinds that override this use it.
        del scope
        return self

    @abstractmethod
    def sentence(self) -> Message:
        """Return the message that states what the rule demands."""


class RulesForm(Form, title="rules"):
    """Rules by their kind."""

    called = "rules"


Kinds: TypeAlias = tuple[str, ...]
"""The kinds of rules that a suite may have, as `package.module:Class`, in the order of judging.
They are imported only for a suite that has rules."""


@cache
def rules_form(kinds: Kinds) -> type[RulesForm]:
    """Return the form of `rules` in a suite that may have `kinds`: a key for each."""
    keys: dict[str, tuple[Any, Any]] = {}
    for class_path in kinds:
        # Imported here, as most suites have no rules.
        kind: type[Rule] = resolve_name(class_path)
        entries = key(kind.summary, [kind.example], default_factory=list, max_length=kind.most)
        # mypy rejects `list[kind]` with a variable.
        keys[kind.kind] = (types.GenericAlias(list, kind), entries)
    return RulesForm.with_keys(**keys)


def build_rules(entries: RulesForm, groups: Sequence[Group], scope: RuleScope) -> tuple[Rule, ...]:
    """Return the rules in the `entries` of a suite with `groups`, kind by kind.

    An entry that names several functions becomes one rule per function. `scope` is that of the
    whole `rules`.
    """
    return tuple(_RulesBuilder(groups, scope.findings).rules(entries, scope))


@dataclass(slots=True)
class _RulesBuilder:
    """Gives the rules of a suite their ids and groups, and checks their costs."""

    groups: Sequence[Group]
    findings: Findings
    _places: dict[str, NodePath] = field(default_factory=dict)
    """The path of each rule, by id."""
    _numbers: Counter[str] = field(default_factory=Counter)
    """The number of rules with a number as name so far, by kind."""

    def rules(self, entries: RulesForm, scope: RuleScope) -> Iterator[Rule]:
        for kind, of_kind in entries:
            for index, entry in enumerate(of_kind):
                yield from self._rules(replace(scope, path=("rules", kind, index)), entry)

    def _rules(self, scope: RuleScope, entry: Rule) -> Iterator[Rule]:
        """Yield the rules in `entry`; its cost is checked once."""
        entry.check(scope)
        placed = [(place, rule.completed(scope)) for place, rule in entry.apart()]
        self._check_costs(scope, entry, [rule for _, rule in placed])
        for place, rule in placed:
            rule_id = self._id(rule, is_one_of=len(placed) > 1)
            self._register(rule_id, (*scope.path, *place), (*scope.path, "id") if rule.id else None)
            yield rule.changed(id=rule_id, group=self._group(rule))

    def _id(self, rule: Rule, *, is_one_of: bool) -> str:
        name = rule.name
        if rule.id:
            name = f"{rule.id}/{rule.about}" if is_one_of else rule.id
        elif name is None:
            self._numbers[rule.kind] += 1
            name = str(self._numbers[rule.kind])
        return f"{rule.kind}/{name}" if name else rule.kind

    def _register(self, rule_id: str, place: NodePath, at_id: NodePath | None) -> None:
        """Record the path of the rule, or report it if another rule has its id."""
        first = self._places.setdefault(rule_id, place)
        if first != place:
            # A path begins with "rules", the kind and the index of the entry.
            is_same_entry = first[:3] == place[:3]
            remedy = "leave one out" if is_same_entry else "give one of them an `id:` of its own"
            advice = f"line {self.findings.line_of(first)} has it already: {remedy}"
            message = f"two rules are called {quoted(rule_id)}"
            self.findings.at_value(at_id or place, message, advice)

    def _group(self, rule: Rule) -> str | None:
        """Return the id of the group that loses points: the named one, or that of the function."""
        if rule.group is not None:
            return rule.group
        group = (rule.about or "").rpartition(".")[2]
        return group if any(each.id == group for each in self.groups) else None

    def _check_costs(self, scope: RuleScope, entry: Rule, rules: list[Rule]) -> None:
        """Report costs of the `rules` of an `entry` that cannot be paid or cannot be lost."""
        if entry.points is not None and entry.cap is not None:
            message = "a rule has points or a cap, and 'points' is given already"
            scope.at_key("cap", message, "keep one of them")
            return
        ids = [group.id for group in self.groups]
        if entry.group is not None and entry.group not in ids:
            scope.findings.unknown("group", (*scope.path, "group"), entry.group, ids, "groups")
            return
        for each in rules:
            is_known = each.about is None or scope.knows(each.about)
            problem = self._problem_of_costs(each)
            if is_known and problem is not None:
                scope.at_key(*problem)
                break  # the other functions of the entry would repeat the message

    def _problem_of_costs(self, rule: Rule) -> tuple[str, str, str] | None:
        """Return key, message and advice if the group, or the suite, has too few points."""
        payer = self._group(rule)
        name = "the whole suite" if payer is None else f"the group {quoted(payer)}"
        worth = sum(each.points for each in self.groups if payer in {None, each.id})
        if rule.cap is not None and payer is None:
            of_what = f" for {quoted(rule.about)}" if rule.about else ""
            message = f"there is no group that this cap{of_what} could be put on"
            return "cap", message, "add `group:` with the id of a group"
        if rule.cap is not None and rule.cap >= worth:
            message = f"{name} is worth {worth:g} points, so this cap costs nothing"
            return "cap", message, "put it lower"
        if rule.points is not None and rule.points > worth:
            message = f"{name} is worth {worth:g} points, so nobody can lose {rule.points:g}"
            return "points", message, "ask for less"
        return None
