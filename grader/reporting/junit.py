"""JUnit XML, in the dialect of pytest (xunit2), for the test tabs of CI systems.

CI logs of a submission repository are read by the student, so this report shows no more than the
student's page does: of hidden cases the verdict, of staff cases nothing. Names do not depend on
the language, so that a CI system can follow a case from run to run. There are no times in it,
because there are none in a record.
"""

from __future__ import annotations

import xml.etree.ElementTree as ET  # only writes here; nothing foreign is ever parsed
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.display import one_line, shown_text
from grader.record import CaseResult, Record, RuleResult, SourceLine, TranscriptLine, isolation_gaps
from grader.reporting.case_view import MAX_STEPS, explanation
from grader.reporting.rules_view import RuleView, rule_view
from grader.reporting.signs import Tone, tone_of
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.voice import Voice
from grader.verdict import RuleVerdict, Status, Verdict

_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}
"""The attribute of a suite that counts each kind of outcome."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Why a testcase is not simply passed."""

    tag: str
    type: str
    message: str
    detail: str = ""


def junit_xml(records: Iterable[Record]) -> bytes:
    """Return the JUnit XML file of `records`.

    There is one suite per record, and one testcase per case and per rule that costs points.
    """
    root = ET.Element("testsuites", name="grader")
    totals = dict.fromkeys(("tests", *_COUNTED.values()), 0)
    for record in records:
        suite = _suite(record)
        root.append(suite)
        for attribute in totals:
            totals[attribute] += int(suite.attrib[attribute])
    root.attrib.update({attribute: str(count) for attribute, count in totals.items()})
    ET.indent(root)
    document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return document


def _suite(record: Record) -> ET.Element:
    suite = ET.Element("testsuite", name=one_line(record.id))
    _add_properties(
        suite,
        student=one_line(record.student),
        exercise=one_line(record.exercise),
        status=record.status.value,
        score=_number(record.score),
        max_score=_number(record.max_score),
        isolation=str(record.conditions.isolation),
        isolation_gaps=" ".join(isolation_gaps(record)),
        suite_sha256=one_line(record.conditions.suite_sha256),
    )
    suite.extend(_testcases(record))
    if remarks := _rule_remarks(record):
        ET.SubElement(suite, "system-out").text = remarks
    counts = {name: len(suite.findall(f"testcase/{tag}")) for tag, name in _COUNTED.items()}
    tests = {"tests": len(suite.findall("testcase"))}
    suite.attrib.update({name: str(count) for name, count in (tests | counts).items()})
    return suite


def _testcases(record: Record) -> Iterator[ET.Element]:
    voice = Voice.of(record.language)
    taken: set[tuple[str, str]] = set()
    if record.status is not Status.GRADED:
        exercise = one_line(record.exercise)
        taken.add((exercise, "submission"))
        yield _testcase(exercise, "submission", _whole_outcome(record, voice))
    for group in visible_groups(record):
        class_name = f"{one_line(record.exercise)}.{one_line(group.id)}"
        example = _counterexample(group, voice)
        for name, outcome, case in _of_group(group, voice):
            testcase = _testcase(class_name, _unique(class_name, name, taken), outcome)
            if case is not None:
                points = _number(case.points)
                _add_properties(testcase, points=points, max_points=_number(case.max_points))
                if case.verdict is Verdict.PASSED and case.explanation:
                    said = "\n".join(explanation(case, voice))
                    ET.SubElement(testcase, "system-out").text = said
            elif outcome is not None and outcome.tag == "failure" and example:
                ET.SubElement(testcase, "system-out").text = example
                example = ""  # once is enough
            yield testcase
    yield from _rule_testcases(record, taken, voice)


def _rule_testcases(
    record: Record, taken: set[tuple[str, str]], voice: Voice
) -> Iterator[ET.Element]:
    class_name = f"{one_line(record.exercise)}.rules"
    for rule in record.rules:
        if rule.costs:
            name = _unique(class_name, one_line(rule.id), taken)
            testcase = _testcase(class_name, name, _rule_outcome(rule, record, voice))
            _add_properties(testcase, penalty=_number(rule.penalty))
            yield testcase


def _rule_outcome(rule: RuleResult, record: Record, voice: Voice) -> Outcome | None:
    match rule.verdict:
        case RuleVerdict.PASSED:
            return None
        case RuleVerdict.BROKEN:
            tag = "failure"
        case RuleVerdict.REVIEW | RuleVerdict.SKIPPED:
            tag = "skipped"
    view = rule_view(rule, record, voice)
    sentences = (*view.evidence, view.note or view.sign.word)
    return Outcome(
        tag=tag,
        type=rule.verdict.value,
        message=one_line(sentences[0], 300),
        detail="\n".join(_rule_details(view)),
    )


def _rule_details(view: RuleView) -> Iterator[str]:
    yield view.demand
    yield from view.evidence
    if view.note is not None:
        yield view.note
    for hit in view.hits:
        yield f"{hit.short}: {hit.code}"
    if view.more is not None:
        yield view.more
    if view.spec is not None:
        yield view.spec.text


def _rule_remarks(record: Record) -> str:
    """Return what there is to say of rules that cost nothing: they are no reason to fail."""
    voice = Voice.of(record.language)
    remarked = {RuleVerdict.BROKEN, RuleVerdict.REVIEW}
    return "\n\n".join(
        "\n".join(_rule_details(rule_view(rule, record, voice)))
        for rule in record.rules
        if not rule.costs and rule.verdict in remarked
    )


def _of_group(
    group: VisibleGroup, voice: Voice
) -> Iterator[tuple[str, Outcome | None, CaseResult | None]]:
    for case in group.cases:
        yield one_line(case.id), _outcome(case, voice), case
    for number, verdict in enumerate(group.hidden, start=1):
        yield f"hidden {number}", _hidden_outcome(verdict, voice), None


def _testcase(class_name: str, name: str, outcome: Outcome | None) -> ET.Element:
    testcase = ET.Element("testcase", classname=class_name, name=name)
    if outcome is not None:
        child = ET.SubElement(testcase, outcome.tag, message=outcome.message, type=outcome.type)
        child.text = outcome.detail or None
    return testcase


def _unique(class_name: str, name: str, taken: set[tuple[str, str]]) -> str:
    """Return `name`, numbered if need be: some CI systems drop a second test of the same name."""
    number, candidate = 1, name
    while (class_name, candidate) in taken:
        number += 1
        candidate = f"{name} [{number}]"
    taken.add((class_name, candidate))
    return candidate


def _whole_outcome(record: Record, voice: Voice) -> Outcome:
    status = record.status.value
    return Outcome(
        tag="failure" if record.status is Status.UNGRADABLE else "error",
        type=record.status.name,
        message=voice(f"notice_{status}"),
        detail="\n".join(voice.tell(remark) for remark in record.remarks),
    )


def _tag(verdict: Verdict) -> str | None:
    match tone_of(verdict):
        case Tone.GOOD:
            return None
        case Tone.BAD:
            return "failure"
        case Tone.IDLE:
            return "skipped"
        case Tone.OURS:
            return "error"


def _outcome(case: CaseResult, voice: Voice) -> Outcome | None:
    tag = _tag(case.verdict)
    if tag is None:
        return None
    sentences = explanation(case, voice)
    return Outcome(
        tag=tag,
        type=case.verdict.value,
        message=one_line(sentences[0]),
        detail="\n\n".join(_details(case, sentences, voice)),
    )


def _hidden_outcome(verdict: Verdict, voice: Voice) -> Outcome | None:
    tag = _tag(verdict)
    if tag is None:
        return None
    word = voice(f"verdict_{verdict.value}")
    return Outcome(tag=tag, type=verdict.value, message=word)


def _counterexample(group: VisibleGroup, voice: Voice) -> str:
    """Return what to say of the counterexample of `group`; nothing if there is none."""
    case = group.counterexample
    if case is None:
        return ""
    details = _details(case, explanation(case, voice), voice)
    return "\n\n".join((voice("counterexample"), *details))


def _details(case: CaseResult, sentences: tuple[str, ...], voice: Voice) -> Iterator[str]:
    yield shown_text(case.code)
    yield "\n".join(sentences)
    if case.cause is not None and not any(case.cause in sentence for sentence in sentences):
        yield f"{voice('cause')}\n{shown_text(case.cause)}"
    if case.expected is not None:
        yield f"{voice('expected')}:\n{shown_text(case.expected)}"
    if case.got is not None:
        yield f"{voice('got')}:\n{shown_text(case.got)}"
    if case.transcript:
        # The step that failed is the last one, or near it.
        steps = "\n".join(map(_step, case.transcript[-MAX_STEPS:]))
        yield f"{voice('session')}:\n{steps}"
    if case.source is not None:
        yield _source(case.source, voice)


def _step(step: TranscriptLine) -> str:
    code = shown_text(step.code).replace("\n", "\n... ")
    output = shown_text(step.output).rstrip("\n")
    return f">>> {code}\n{output}" if output else f">>> {code}"


def _source(source: SourceLine, voice: Voice) -> str:
    place = voice("source_line", file=one_line(source.file), line=source.line)
    return f"{place}:\n{shown_text(source.text)}"


def _add_properties(element: ET.Element, **values: str) -> None:
    properties = ET.Element("properties")
    for name, value in values.items():
        ET.SubElement(properties, "property", name=name, value=value)
    element.insert(0, properties)


def _number(value: float) -> str:
    return f"{round(value, 4):g}"
