"""Makes the rules of a suite of their forms: what they are called, and what they cost.

An entry that names several functions becomes one rule per function.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.demands import Rule
from grader.loading.demand_building import DemandBuilder, Demanded
from grader.loading.document import NodePath
from grader.loading.drafts import Draft
from grader.loading.findings import Findings
from grader.loading.forms import GroupForm
from grader.loading.rule_forms import ConstructsForm, RuleForm
from grader.loading.rule_scope import Scope
from grader.loading.suggestions import did_you_mean, listed, quoted


def build_rules(draft: Draft, findings: Findings) -> tuple[Rule, ...]:
    """Return the rules of `draft`, kind by kind; what is wrong with them goes to `findings`."""
    return tuple(_RulesBuilder(draft, findings).rules())


@dataclass(slots=True)
class _RulesBuilder:
    draft: Draft
    findings: Findings
    _scope: Scope = field(init=False)
    _places: dict[str, NodePath] = field(default_factory=dict)
    """Where each rule is, by its id."""
    _everywhere: int = 0
    """How many rules on constructs are about all code, so far."""

    def rules(self) -> Iterator[Rule]:
        self._scope = Scope(self.findings, self.draft.head)
        for kind, forms in self.draft.rules.items():
            for index, form in enumerate(forms):
                if form is None:
                    continue
                path: NodePath = ("rules", kind, index)
                demands = list(DemandBuilder(self.findings, self._scope, path).demands(form))
                self._check_costs(path, form, demands)
                for demanded in demands:
                    yield self._rule(path, form, demanded, is_one_of=len(demands) > 1)

    def _rule(self, path: NodePath, form: RuleForm, demanded: Demanded, *, is_one_of: bool) -> Rule:
        (_, kind, _) = path
        name = self._name(form, demanded, is_one_of=is_one_of)
        rule_id = f"{kind}/{name}" if name else str(kind)
        at = demanded.at if form.id is None else (*path, "id")
        if self._places.setdefault(rule_id, demanded.at) != demanded.at:
            line = self.findings.line_of(self._places[rule_id])
            is_same_entry = self._places[rule_id][:3] == path
            way_out = "leave one out" if is_same_entry else "give one of them an `id:` of its own"
            advice = f"line {line} has it already: {way_out}"
            self.findings.at_value(at, f"two rules are called {quoted(rule_id)}", advice)
        group = self._group(form, demanded)
        return Rule(
            id=rule_id,
            demand=demanded.demand,
            points=form.points,
            cap=form.cap,
            group=group,
            line=form.line,
        )

    def _name(self, form: RuleForm, demanded: Demanded, *, is_one_of: bool) -> str:
        """Return what stands behind the kind in the id of a rule."""
        if form.id is not None:
            return f"{form.id}/{demanded.function}" if is_one_of else form.id
        if isinstance(form, ConstructsForm) and demanded.function is None:
            self._everywhere += 1
            return str(self._everywhere)
        return demanded.name

    def _group(self, form: RuleForm, demanded: Demanded) -> str | None:
        """Return the id of the group that pays: the one that is named, or that of the function."""
        if form.group is not None:
            return form.group
        group = (demanded.function or "").rpartition(".")[2]
        return group if self._group_form(group) is not None else None

    def _group_form(self, group: str | None) -> GroupForm | None:
        found = (form for form in self.draft.groups if form is not None and form.id == group)
        return next(found, None)

    def _check_costs(self, path: NodePath, form: RuleForm, demands: list[Demanded]) -> None:
        """Report what can cost nothing, or more than there is."""
        if form.points is not None and form.cap is not None:
            message = "a rule has points or a cap, and 'points' is given already"
            self.findings.at_key((*path, "cap"), message, "keep one of them")
            return
        groups = [group for group in self.draft.groups if group is not None]
        if not groups or len(groups) < len(self.draft.groups):
            return  # the group that is meant may be one that is not valid
        ids = [group.id for group in groups]
        if form.group is not None and form.group not in ids:
            message = f"unknown group {quoted(form.group)}{did_you_mean(form.group, ids)}"
            self.findings.at_value((*path, "group"), message, f"groups: {listed(ids)}")
            return
        for demanded in demands:
            is_known = demanded.function is None or self._scope.knows(demanded.function)
            problem = self._problem_of_costs(form, demanded)
            if is_known and problem is not None:
                key, message, advice = problem
                self.findings.at_key((*path, key), message, advice)
                break  # for other functions of the entry it would be said again

    def _problem_of_costs(self, form: RuleForm, demanded: Demanded) -> tuple[str, str, str] | None:
        """Return key, message and advice if the group, or the suite, cannot pay."""
        group = self._group_form(self._group(form, demanded))
        if group is not None:
            worth, name = group.points, f"the group {quoted(group.id)}"
        else:
            worth = sum(form.points for form in self.draft.groups if form is not None)
            name = "the whole suite"
        if form.cap is not None and group is None:
            of_what = f" for {quoted(demanded.function)}" if demanded.function else ""
            message = f"there is no group that this cap{of_what} could be put on"
            return "cap", message, "add `group:` with the id of a group"
        if form.cap is not None and form.cap >= worth:
            message = f"{name} is worth {worth:g} points, so this cap costs nothing"
            return "cap", message, "put it lower"
        if form.points is not None and form.points > worth:
            message = f"{name} is worth {worth:g} points, so nobody can lose {form.points:g}"
            return "points", message, "ask for less"
        return None
