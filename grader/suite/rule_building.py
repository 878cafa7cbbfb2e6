"""Makes the rules of a suite of their entries: what they are called, and what they cost.

An entry that names several functions becomes one rule per function.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from grader.suite.diagnostics import did_you_mean, listed, quoted
from grader.suite.findings import Findings
from grader.suite.model import Group, WrittenSuite
from grader.suite.reading import NodePath
from grader.suite.rules import Rule, Scope


def build_rules(suite: WrittenSuite, findings: Findings) -> tuple[Rule, ...]:
    """Return the rules of `suite`, kind by kind; what is wrong with them goes to `findings`."""
    scope = Scope(
        findings=findings,
        path=("rules",),
        functions=(*suite.defines, *suite.helpers),
        module=suite.module,
        modules=suite.modules,
        given=tuple(suite.given),
    )
    return tuple(_RulesBuilder(suite, findings, scope).rules())


@dataclass(slots=True)
class _RulesBuilder:
    suite: WrittenSuite
    findings: Findings
    scope: Scope
    _places: dict[str, NodePath] = field(default_factory=dict)
    """Where each rule is, by its id."""
    _numbers: Counter[str] = field(default_factory=Counter)
    """How many rules of a kind have a number for a name, so far."""

    def rules(self) -> Iterator[Rule]:
        for kind, entries in self.suite.rules:
            for index, entry in enumerate(entries):
                yield from self._rules(replace(self.scope, path=("rules", kind, index)), entry)

    def _rules(self, scope: Scope, entry: Rule) -> Iterator[Rule]:
        """Yield the rules that `entry` stands for; what it costs is checked once."""
        entry.check(scope)
        placed = [(place, rule.completed(scope)) for place, rule in entry.apart()]
        self._check_costs(scope, entry, [rule for _, rule in placed])
        for place, rule in placed:
            rule_id = self._id(rule, is_one_of=len(placed) > 1)
            self._note(rule_id, (*scope.path, *place), (*scope.path, "id") if rule.id else None)
            yield rule.model_copy(update={"id": rule_id, "group": self._group(rule)})

    def _id(self, rule: Rule, *, is_one_of: bool) -> str:
        name = rule.name
        if rule.id:
            name = f"{rule.id}/{rule.about}" if is_one_of else rule.id
        elif name is None:
            self._numbers[rule.kind] += 1
            name = str(self._numbers[rule.kind])
        return f"{rule.kind}/{name}" if name else rule.kind

    def _note(self, rule_id: str, place: NodePath, at_id: NodePath | None) -> None:
        """Note where the rule is, and report it if another one is called like it."""
        first = self._places.setdefault(rule_id, place)
        if first != place:
            way_out = "leave one out"
            if first[:3] != place[:3]:
                way_out = "give one of them an `id:` of its own"
            advice = f"line {self.findings.line_of(first)} has it already: {way_out}"
            message = f"two rules are called {quoted(rule_id)}"
            self.findings.at_value(at_id or place, message, advice)

    def _group(self, rule: Rule) -> str | None:
        """Return the id of the group that pays: the one that is named, or that of the function."""
        if rule.group is not None:
            return rule.group
        group = (rule.about or "").rpartition(".")[2]
        return group if self._group_called(group) is not None else None

    def _group_called(self, group: str | None) -> Group | None:
        return next((each for each in self.suite.groups if each.id == group), None)

    def _check_costs(self, scope: Scope, entry: Rule, rules: list[Rule]) -> None:
        """Report what can cost nothing, or more than there is, of the `rules` of an `entry`."""
        if entry.points is not None and entry.cap is not None:
            message = "a rule has points or a cap, and 'points' is given already"
            scope.at_key("cap", message, "keep one of them")
            return
        ids = [group.id for group in self.suite.groups]
        if entry.group is not None and entry.group not in ids:
            message = f"unknown group {quoted(entry.group)}{did_you_mean(entry.group, ids)}"
            scope.at_value(("group",), message, f"groups: {listed(ids)}")
            return
        for each in rules:
            is_known = each.about is None or scope.knows(each.about)
            problem = self._problem_of_costs(each)
            if is_known and problem is not None:
                scope.at_key(*problem)
                break  # for other functions of the entry it would be said again

    def _problem_of_costs(self, rule: Rule) -> tuple[str, str, str] | None:
        """Return key, message and advice if the group, or the suite, cannot pay."""
        group = self._group_called(self._group(rule))
        if group is not None:
            worth, name = group.points, f"the group {quoted(group.id)}"
        else:
            worth = sum(each.points for each in self.suite.groups)
            name = "the whole suite"
        if rule.cap is not None and group is None:
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
