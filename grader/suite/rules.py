"""The base of all rules in a suite, with their common keys, their checks and their interface.

A *rule* demands something of the structure of a submission, such as that a function is recursive,
that a construct is not used, or that a function takes constant time. An entry in the file and the
rule in memory have the same class. The judge defines the kinds of rules and passes them to the
loader.
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
from grader.suite.diagnostics import quote
from grader.suite.fields import Form, Id, key, optional
from grader.suite.steps import Group

if TYPE_CHECKING:  # importing it loads YAML, and most suites come from the cache
    from grader.suite.document import Findings, NodePath

ONE_COST: Final[dict[str, Any]] = {"not": {"required": ["points", "cap"]}}
"""The part of the JSON Schema that forbids a rule from having both `points` and `cap`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScope:
    """The names that a rule entry can use, and the findings to which its mistakes are reported.

    The paths that methods take are relative to the entry.
    """

    findings: Findings
    path: NodePath
    """The path of the entry in the suite."""
    functions: tuple[str, ...]
    """The names that a submission must or can define."""
    module: str
    """The module that is handed in, or "" if there are several."""
    modules: tuple[str, ...]
    """The modules that are handed in, or () if there is only one."""
    given: tuple[str, ...]
    """The names of the given modules."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names that steps of a probe can use.

        They are the modules if there are several, or else the names that the module defines.
        """
        return self.modules or self.functions

    def report_value(self, path: NodePath, message: str, advice: str | None) -> None:
        """Report `message` about the value at `path`, with `advice` on how to mend it."""
        self.findings.report_value((*self.path, *path), message, advice)

    def report_key(self, key: str, message: str, advice: str) -> None:
        """Report `message` about the `key` of the entry, with `advice` on how to mend it."""
        self.findings.report_key((*self.path, key), message, advice)

    def report_repeated(self, noun: str, key: str) -> None:
        """Report each repeated item in the list at `key`, which messages call a `noun`."""
        self.findings.report_repeated(noun, (*self.path, key))

    def is_defined(self, function: str) -> bool:
        """Return whether submissions define `function`, or the class of which it is a method."""
        return not {function, function.rpartition(".")[0]}.isdisjoint(self.functions)

    def check_function(self, path: NodePath, name: str) -> None:
        """Report the function `name` at `path` if submissions do not define it."""
        if not self.is_defined(name):
            choices = "functions in `defines` and `helpers`"
            self.findings.report_unknown(
                "function", (*self.path, *path), name, self.functions, choices
            )

    def check_functions(self, key: str, names: Iterable[str]) -> None:
        """Report each function in `names`, the list at `key`, that submissions do not define."""
        for index, name in enumerate(names):
            self.check_function((key, index), name)


class Rule(Form, ABC, json_schema_extra=ONE_COST):
    """The base of all rules, with their name and the cost of breaking them."""

    kind: ClassVar[str]
    """The key of such rules in `rules`."""
    summary: ClassVar[str]
    """The description of that key."""
    example: ClassVar[dict[str, Any]]
    """An example of such a rule in YAML."""
    max_count: ClassVar[int | None] = None
    """The maximum number of such rules in a suite, or None for any number."""

    def __init_subclass__(cls, **config: Any) -> None:
        """Set `form_name`, by which messages call such rules."""
        super().__init_subclass__(**config)
        cls.form_name = f"a rule on {getattr(cls, 'kind', 'something')}"

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
    def costs_points(self) -> bool:
        """Whether breaking the rule can cost points."""
        return self.points is not None or self.cap is not None

    @property
    def about(self) -> str | None:
        """The function that the rule is about, or None if it is not about exactly one function."""
        return None

    @property
    def name(self) -> str | None:
        """The part of the default id after the kind, "" if there is none, or None for a number."""
        return self.about or ""

    def split(self) -> Iterator[tuple[NodePath, Self]]:
        """Yield the rules that this entry stands for, each paired with its path in the entry."""
        yield (), self

    def check(self, scope: RuleScope) -> None:
        """Report mistakes in this entry, given the rest of the suite, to `scope`."""

    def complete_from(self, scope: RuleScope) -> Self:
        """Return this rule, completed with what it needs from the rest of the suite."""
        # Only kinds that override this method use `scope`.
        del scope
        return self

    @abstractmethod
    def sentence(self) -> Message:
        """Return the message that states what the rule demands."""


class RulesForm(Form, title="rules"):
    """Rules, keyed by their kind."""

    form_name = "rules"


Kinds: TypeAlias = tuple[str, ...]
"""The kinds of rules that a suite can have, in the order of judging. Each is written as
`package.module:Class`, and is imported only for a suite that has rules."""


@cache
def rules_form(kinds: Kinds) -> type[RulesForm]:
    """Return the form class of the key `rules`, with a key for each of `kinds`."""
    keys: dict[str, tuple[Any, Any]] = {}
    for class_path in kinds:
        # Imported only here, as most suites have no rules.
        kind: type[Rule] = resolve_name(class_path)
        entries = key(kind.summary, [kind.example], default_factory=list, max_length=kind.max_count)
        # mypy rejects `list[kind]` with a variable.
        keys[kind.kind] = (types.GenericAlias(list, kind), entries)
    return RulesForm.with_keys(**keys)


def build_rules(entries: RulesForm, groups: Sequence[Group], scope: RuleScope) -> tuple[Rule, ...]:
    """Return the rules in the `entries` of a suite with `groups`, ordered by kind.

    An entry that names several functions becomes one rule per function. Mistakes are reported to
    `scope`, which is the scope of the key `rules`.
    """
    return tuple(_RulesBuilder(groups, scope.findings).rules(entries, scope))


@dataclass(slots=True)
class _RulesBuilder:
    """Builds the rules of a suite with their ids and groups, and checks their costs."""

    groups: Sequence[Group]
    findings: Findings
    _paths: dict[str, NodePath] = field(default_factory=dict)
    """The path of each rule, keyed by id."""
    _numbers: Counter[str] = field(default_factory=Counter)
    """How many rules have a number as their name so far, keyed by kind."""

    def rules(self, entries: RulesForm, scope: RuleScope) -> Iterator[Rule]:
        """Yield the rules in all `entries`, after reporting mistakes in each.

        `scope` is the scope of the key `rules`.
        """
        for kind, kind_entries in entries:
            for index, entry in enumerate(kind_entries):
                yield from self._entry_rules(replace(scope, path=("rules", kind, index)), entry)

    def _entry_rules(self, scope: RuleScope, entry: Rule) -> Iterator[Rule]:
        """Yield the rules in `entry`, after reporting mistakes in the entry, its costs and ids."""
        entry.check(scope)
        entries = [(rule_path, rule.complete_from(scope)) for rule_path, rule in entry.split()]
        self._check_costs(scope, entry, [rule for _, rule in entries])
        for rule_path, rule in entries:
            rule_id = self._rule_id(rule, is_one_of=len(entries) > 1)
            self._register(
                rule_id, (*scope.path, *rule_path), (*scope.path, "id") if rule.id else None
            )
            yield rule.with_changes(id=rule_id, group=self._paying_group(rule))

    def _rule_id(self, rule: Rule, *, is_one_of: bool) -> str:
        """Return the id of `rule`, and count the rule if a number has to be its name.

        `is_one_of` is whether its entry stands for several rules.
        """
        name = rule.name
        if rule.id:
            name = f"{rule.id}/{rule.about}" if is_one_of else rule.id
        elif name is None:
            self._numbers[rule.kind] += 1
            name = str(self._numbers[rule.kind])
        return f"{rule.kind}/{name}" if name else rule.kind

    def _register(self, rule_id: str, rule_path: NodePath, id_path: NodePath | None) -> None:
        """Record `rule_path` as the path of the rule, or report the rule if another has its id.

        `id_path` is the path of the written id, or None if the id is a default.
        """
        first_path = self._paths.setdefault(rule_id, rule_path)
        if first_path != rule_path:
            # A path begins with "rules", the kind and the index of the entry.
            is_same_entry = first_path[:3] == rule_path[:3]
            remedy = "remove one of them" if is_same_entry else "give one of them its own `id:`"
            advice = f"line {self.findings.first_line(first_path)} has it already: {remedy}"
            message = f"two rules are called {quote(rule_id)}"
            self.findings.report_value(id_path or rule_path, message, advice)

    def _paying_group(self, rule: Rule) -> str | None:
        """Return the id of the group that loses points, or None if the whole suite does.

        It is the group that the rule names, or the one named like its function.
        """
        if rule.group is not None:
            return rule.group
        group_id = (rule.about or "").rpartition(".")[2]
        return group_id if any(group.id == group_id for group in self.groups) else None

    def _check_costs(self, scope: RuleScope, entry: Rule, rules: list[Rule]) -> None:
        """Report an unknown group of `entry`, and costs that are too high or have no effect.

        `rules` are the rules that the entry stands for.
        """
        if entry.points is not None and entry.cap is not None:
            message = "a rule has either points or a cap, and this one has points"
            scope.report_key("cap", message, "keep one of them")
            return
        ids = [group.id for group in self.groups]
        if entry.group is not None and entry.group not in ids:
            scope.findings.report_unknown(
                "group", (*scope.path, "group"), entry.group, ids, "groups"
            )
            return
        for rule in rules:
            # An unknown function is already reported, and its costs would only repeat that.
            is_known = rule.about is None or scope.is_defined(rule.about)
            problem = self._cost_problem(rule)
            if is_known and problem is not None:
                scope.report_key(*problem)
                # Other functions of the entry would repeat the message.
                break

    def _cost_problem(self, rule: Rule) -> tuple[str, str, str] | None:
        """Return the key, message and advice if `rule` costs more than its group is worth.

        A cap must cost something, so it must be below the group's points. A rule without a group is
        compared with the whole suite, and must not have a cap. Return None if the cost is possible.
        """
        payer = self._paying_group(rule)
        name = "the whole suite" if payer is None else f"the group {quote(payer)}"
        worth = sum(group.points for group in self.groups if payer in {None, group.id})
        if rule.cap is not None and payer is None:
            subject = f" for {quote(rule.about)}" if rule.about else ""
            message = f"this cap{subject} has no group that it could apply to"
            return "cap", message, "add `group:` with the id of a group"
        if rule.cap is not None and rule.cap >= worth:
            message = f"{name} is worth {worth:g} points, so this cap costs nothing"
            return "cap", message, "lower the cap"
        if rule.points is not None and rule.points > worth:
            message = f"{name} is worth {worth:g} points, so nobody can lose {rule.points:g}"
            return "points", message, "lower the points of the rule, or raise those of the group"
        return None
