"""Rules as YAML writes them, and the evidence that they are judged by."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar, cast

from grader.judging.probing import ProbeRunner
from grader.judging.rules.rule import Evidence, JudgedRule
from grader.judging.trials import Trials
from grader.sandbox.survey import Survey

_R = TypeVar("_R", bound=JudgedRule)


def rule_on(kind: type[_R], **keys: Any) -> _R:
    """Return the rule of this kind with these keys, as an entry of a suite has them."""
    return kind.validate(keys)


def survey(**facts: Any) -> Survey:
    """Return a survey that found only these facts."""
    nothing: dict[str, Any] = {
        "constructs": (),
        "functions": (),
        "imports": (),
        "too_new": (),
        "repeated": (),
        "suspicious": (),
        "starts": {},
        "unnamed": (),
        "definitions": (),
        "unparsed": {},
    }
    return Survey(**{**nothing, **facts})


def by_source(
    facts: Survey, defines: Collection[str] = (), importable: Collection[str] = ()
) -> Evidence:
    """Return the evidence of rules that are judged by the source alone: they never probe."""
    return Evidence(
        survey=facts,
        prober=cast("ProbeRunner", None),
        trials=cast("Trials", None),
        modules=("Board",),
        binds="modules",
        defines=tuple(defines),
        importable=importable,
    )


def by_probe(
    prober: ProbeRunner, facts: Survey | None = None, defines: Collection[str] = ()
) -> Evidence:
    """Return the evidence of rules that are judged by probing; of several modules with `facts`."""
    return Evidence(
        survey=facts or survey(),
        prober=prober,
        trials=cast("Trials", None),
        modules=("Board",),
        binds="names" if facts is None else "modules",
        defines=tuple(defines),
    )
