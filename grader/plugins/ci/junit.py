"""JUnit XML, in the dialect of pytest (xunit2), for the test tabs of CI systems.

CI logs of a submission repository are read by the student, so this report shows no more than the
student's page does: of the hidden cases of a group a count, of staff cases nothing. Names do not
depend on the language, so that a CI system can follow a case from run to run. There are no times in
it, because there are none in a record.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET  # only writes here; nothing foreign is ever parsed
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from grader.judging.record import CaseResult, HiddenTally, Record, RuleResult, TranscriptLine
from grader.reporting.case_view import MAX_STEPS, explanation
from grader.reporting.rules_view import RuleView, rule_view
from grader.reporting.visibility import VisibleGroup, visible_groups
from grader.reporting.wording import Locale, Tone, tone_of
from grader.reporting.writing import write_atomically
from grader.values.foreign_text import one_line, shown_text
from grader.verdict import RuleVerdict, Status, Verdict

_PIECE_BYTES: Final = 1 << 16
_COUNTED = {"failure": "failures", "error": "errors", "skipped": "skipped"}
"""The attribute of a suite that counts each kind of outcome."""
_TAGS = {Tone.GOOD: None, Tone.BAD: "failure", Tone.IDLE: "skipped", Tone.OURS: "error"}
_RULE_TAGS = {
    RuleVerdict.PASSED: None,
    RuleVerdict.BROKEN: "failure",
    RuleVerdict.REVIEW: "skipped",
    RuleVerdict.SKIPPED: "skipped",
}


class JUnitReport:
    """Grows by one record after the other, of which none stays in memory.

    There is one suite per record, and one testcase per case and per rule that costs points. The
    totals over all of them stand before the first one: so suites wait in a file of their own.
    """

    def __init__(self, suites: IO[bytes]) -> None:
        """Begin a report on no records, whose suites wait in the empty file `suites`."""
        self._suites: Final = suites
        self._totals: Final = dict.fromkeys(("tests", *_COUNTED.values()), 0)

    def add(self, record: Record) -> None:
        """Report on `record`, after those before it."""
        suite = _suite(record)
        for attribute in self._totals:
            self._totals[attribute] += int(suite.attrib[attribute])
        ET.indent(suite, level=1)
        self._suites.write(b"\n  " + ET.tostring(suite, encoding="utf-8"))

    def pieces(self) -> Iterator[bytes]:
        """Yield the pieces of the file."""
        totals = {name: str(count) for name, count in self._totals.items()}
        root = ET.Element("testsuites", {"name": "grader", **totals})
        if self._suites.tell():
            root.text = "\n"
        document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
        begin, newline, end = document.rpartition(b"\n</")
        yield begin
        self._suites.seek(0)
        while piece := self._suites.read(_PIECE_BYTES):
            yield piece
        yield newline + end


def junit_xml(records: Iterable[Record]) -> bytes:
    """Return the JUnit XML file of `records`."""
    report = JUnitReport(io.BytesIO())
    for record in records:
        report.add(record)
    return b"".join(report.pieces())


def write_junit(path: Path, record: Record) -> None:
    """Write the JUnit XML file of one `record` at `path`."""
    write_atomically(path, junit_xml([record]))


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
        isolation_gaps=" ".join(record.isolation_gaps),
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
    locale = Locale.of_record(record)
    taken: set[tuple[str, str]] = set()
    if record.status is not Status.GRADED:
        exercise = one_line(record.exercise)
        taken.add((exercise, "submission"))
        yield _testcase(exercise, "submission", _whole_outcome(record, locale))
    for group in visible_groups(record):
        class_name = f"{one_line(record.exercise)}.{one_line(group.id)}"
        example = _counterexample(group, locale)
        for name, outcome, case in _of_group(group, locale):
            testcase = _testcase(class_name, _unique(class_name, name, taken), outcome)
            if case is not None:
                points = _number(case.points)
                _add_properties(testcase, points=points, max_points=_number(case.max_points))
                if case.verdict is Verdict.PASSED and case.explanation:
                    said = "\n".join(explanation(case, locale))
                    ET.SubElement(testcase, "system-out").text = said
            elif outcome is not None and outcome.tag == "failure" and example:
                ET.SubElement(testcase, "system-out").text = example
                example = ""  # once is enough
            yield testcase
    yield from _rule_testcases(record, taken, locale)


def _rule_testcases(
    record: Record, taken: set[tuple[str, str]], locale: Locale
) -> Iterator[ET.Element]:
    class_name = f"{one_line(record.exercise)}.rules"
    for rule in record.rules:
        if rule.costs:
            name = _unique(class_name, one_line(rule.id), taken)
            testcase = _testcase(class_name, name, _rule_outcome(rule, record, locale))
            _add_properties(testcase, penalty=_number(rule.penalty))
            yield testcase


def _rule_outcome(rule: RuleResult, record: Record, locale: Locale) -> ET.Element | None:
    if (tag := _RULE_TAGS[rule.verdict]) is None:
        return None
    view = rule_view(rule, record, locale)
    sentences = (*view.evidence, view.note or view.sign.word)
    return _reason(
        tag, rule.verdict.value, one_line(sentences[0], 300), "\n".join(_rule_details(view))
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
    locale = Locale.of_record(record)
    remarked = {RuleVerdict.BROKEN, RuleVerdict.REVIEW}
    return "\n\n".join(
        "\n".join(_rule_details(rule_view(rule, record, locale)))
        for rule in record.rules
        if not rule.costs and rule.verdict in remarked
    )


def _of_group(
    group: VisibleGroup, locale: Locale
) -> Iterator[tuple[str, ET.Element | None, CaseResult | None]]:
    for case in group.cases:
        yield one_line(case.id), _outcome(case, locale), case
    if group.hidden is not None:
        yield "hidden", _hidden_outcome(group, group.hidden, locale), None


def _testcase(class_name: str, name: str, outcome: ET.Element | None) -> ET.Element:
    testcase = ET.Element("testcase", classname=class_name, name=name)
    if outcome is not None:
        testcase.append(outcome)
    return testcase


def _reason(tag: str, kind: str, message: str, detail: str) -> ET.Element:
    """Return why a testcase is not simply passed."""
    reason = ET.Element(tag, message=message, type=kind)
    reason.text = detail or None
    return reason


def _unique(class_name: str, name: str, taken: set[tuple[str, str]]) -> str:
    """Return `name`, numbered if need be: some CI systems drop a second test of the same name."""
    number, candidate = 1, name
    while (class_name, candidate) in taken:
        number += 1
        candidate = f"{name} [{number}]"
    taken.add((class_name, candidate))
    return candidate


def _whole_outcome(record: Record, locale: Locale) -> ET.Element:
    tag = "failure" if record.status is Status.UNGRADABLE else "error"
    message = locale(f"notice_{record.status.value}")
    return _reason(tag, record.status.name, message, "\n".join(map(locale.tell, record.remarks)))


def _outcome(case: CaseResult, locale: Locale) -> ET.Element | None:
    if (tag := _TAGS[tone_of(case.verdict)]) is None:
        return None
    sentences = explanation(case, locale)
    detail = "\n\n".join(_details(case, sentences, locale))
    return _reason(tag, case.verdict.value, one_line(sentences[0]), detail)


def _hidden_outcome(group: VisibleGroup, tally: HiddenTally, locale: Locale) -> ET.Element | None:
    if (tag := _TAGS[group.hidden_tone]) is None:
        return None
    return _reason(tag, "hidden", locale.hidden(tally), "")


def _counterexample(group: VisibleGroup, locale: Locale) -> str:
    """Return what to say of the counterexample of `group`; nothing if there is none."""
    case = group.counterexample
    if case is None:
        return ""
    details = _details(case, explanation(case, locale), locale)
    return "\n\n".join((locale("counterexample"), *details))


def _details(case: CaseResult, sentences: tuple[str, ...], locale: Locale) -> Iterator[str]:
    yield shown_text(case.code)
    yield "\n".join(sentences)
    if case.cause is not None and not any(case.cause in sentence for sentence in sentences):
        yield f"{locale('cause')}\n{shown_text(case.cause)}"
    if case.expected is not None:
        yield f"{locale('expected')}:\n{shown_text(case.expected)}"
    if case.got is not None:
        yield f"{locale('got')}:\n{shown_text(case.got)}"
    if case.transcript:
        # The step that failed is the last one, or near it.
        steps = "\n".join(map(_step, case.transcript[-MAX_STEPS:]))
        yield f"{locale('session')}:\n{steps}"
    if case.source is not None:
        place = locale("source_line", file=one_line(case.source.file), line=case.source.line)
        yield f"{place}:\n{shown_text(case.source.text)}"


def _step(step: TranscriptLine) -> str:
    code = shown_text(step.code).replace("\n", "\n... ")
    output = shown_text(step.output).rstrip("\n")
    return "\n".join(filter(None, (f"{step.prompt}{code}", output)))


def _add_properties(element: ET.Element, **values: str) -> None:
    properties = ET.Element("properties")
    for name, value in values.items():
        ET.SubElement(properties, "property", name=name, value=value)
    element.insert(0, properties)


def _number(value: float) -> str:
    return f"{round(value, 4):g}"
