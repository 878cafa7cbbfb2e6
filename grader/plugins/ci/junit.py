"""JUnit XML, in the dialect of pytest (xunit2), for the test tabs of CI systems.

Students read the CI logs of their repository, so this report shows no more than their page: no
staff cases, and only the number of hidden cases in each group. Names do not depend on the language,
so that a CI system can track a case from run to run. There are no times, because records have none.
"""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET  # only writes here; nothing foreign is ever parsed
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import IO, Final

from grader.judging.record import Record
from grader.reporting.shown_results import (
    HIDDEN,
    RULES,
    ResultFormat,
    ShownResult,
    path_in,
    shown_results,
)
from grader.reporting.wording import Locale
from grader.values.foreign_text import one_line
from grader.verdict import RuleVerdict

_CHUNK_BYTES: Final = 1 << 16
_COUNT_ATTRIBUTES = {"failure": "failures", "error": "errors", "skipped": "skipped"}
"""The attribute of a suite that counts each kind of result, by the kind's tag."""
_TAG_BY_RESULT = {"passed": None, "failed": "failure", "skipped": "skipped", "fault": "error"}
"""The tag of the element in a testcase with each result, or None if there is no such element."""


class JUnitReport:
    """Collects a JUnit report record by record, without keeping records in memory.

    There is one suite per record, with one testcase for each case and each rule that costs points.
    The totals come before the first suite in the file, so suites are buffered in another file.
    """

    def __init__(self, suites: IO[bytes], hand_in: PurePath | None = None) -> None:
        """Begin an empty report, whose suites are buffered in the empty file `suites`.

        `hand_in` is the path of the hand-in. If it is given, the paths of files start with it.
        """
        self._hand_in: Final = hand_in
        self._suites: Final = suites
        self._totals: Final = dict.fromkeys(("tests", *_COUNT_ATTRIBUTES.values()), 0)

    def add(self, record: Record) -> None:
        """Append the suite of `record` to the buffer, and add its counts to the totals."""
        suite = _suite(record, self._hand_in)
        for attribute in self._totals:
            self._totals[attribute] += int(suite.attrib[attribute])
        ET.indent(suite, level=1)
        self._suites.write(b"\n  " + ET.tostring(suite, encoding="utf-8"))

    def pieces(self) -> Iterator[bytes]:
        """Yield the content of the report file in pieces.

        Reads the buffered suites from their start, so no record can be added afterwards.
        """
        totals = {name: str(count) for name, count in self._totals.items()}
        root = ET.Element("testsuites", {"name": "grader", **totals})
        if self._suites.tell():
            root.text = "\n"
        document: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
        # Split before the closing tag, which follows the suites.
        head, newline, tail = document.rpartition(b"\n</")
        yield head
        self._suites.seek(0)
        while chunk := self._suites.read(_CHUNK_BYTES):
            yield chunk
        yield newline + tail


def junit_xml(records: Iterable[Record], hand_in: PurePath | None = None) -> bytes:
    """Return the content of a JUnit XML file for `records`.

    `hand_in` is the path of the hand-in. If it is given, the paths of files start with it.
    """
    report = JUnitReport(io.BytesIO(), hand_in)
    for record in records:
        report.add(record)
    return b"".join(report.pieces())


JUNIT: Final = ResultFormat(
    format_record=lambda record, hand_in: junit_xml([record], hand_in).decode()
)


def _suite(record: Record, hand_in: PurePath | None) -> ET.Element:
    """Return the testsuite element for `record`, with its counts."""
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
    locale = Locale.for_record(record)
    remarks = []
    names = _NameRegistry()
    for result in shown_results(record):
        if result.group == RULES and result.points is None:
            remarks += [_detail(result, locale)] if _is_remark(result) else []
        else:
            suite.append(_testcase(result, record, names, hand_in))
    if remarks:
        ET.SubElement(suite, "system-out").text = "\n\n".join(remarks)
    counts = {
        name: len(suite.findall(f"testcase/{tag}")) for tag, name in _COUNT_ATTRIBUTES.items()
    }
    tests = {"tests": len(suite.findall("testcase"))}
    suite.attrib.update({name: str(count) for name, count in (tests | counts).items()})
    return suite


def _is_remark(result: ShownResult) -> bool:
    """Return whether a rule that costs no points is broken or under review.

    Such a rule becomes a remark, because it must not fail a testcase.
    """
    return result.verdict in {RuleVerdict.BROKEN.value, RuleVerdict.REVIEW.value}


class _NameRegistry:
    """Makes names unique, because some CI systems drop a second test with the same name."""

    def __init__(self) -> None:
        self._used: Final[set[tuple[str, str]]] = set()

    def unique(self, class_name: str, name: str) -> str:
        """Return `name`, with a number appended if it was used before in `class_name`."""
        number, candidate = 1, name
        while (class_name, candidate) in self._used:
            number += 1
            candidate = f"{name} [{number}]"
        self._used.add((class_name, candidate))
        return candidate


def _testcase(
    result: ShownResult, record: Record, names: _NameRegistry, hand_in: PurePath | None
) -> ET.Element:
    """Return the testcase element for a result in `record`, and add its name to `names`."""
    locale = Locale.for_record(record)
    class_name = ".".join(filter(None, (one_line(record.exercise), result.group)))
    name = names.unique(class_name, result.id)
    testcase = ET.Element("testcase", classname=class_name, name=name)
    if result.file is not None:
        testcase.set("file", result.file if hand_in is None else path_in(hand_in, result.file))
        testcase.set("line", str(result.line))
    testcase.extend(_children(result, locale))
    if result.group == RULES:
        _add_properties(testcase, penalty=_number(-(result.points or 0)))
    elif result.points is not None and result.id != HIDDEN:
        max_points = _number(result.max_points or 0)
        _add_properties(testcase, points=_number(result.points), max_points=max_points)
    return testcase


def _children(result: ShownResult, locale: Locale) -> Iterator[ET.Element]:
    """Yield the child elements of a testcase: the reason why it did not pass, and its output."""
    output = None if result.example is None else result.example.text(locale)
    if (tag := _TAG_BY_RESULT[result.result]) is not None:
        reason = ET.Element(tag, message=result.headline, type=result.verdict)
        reason.text = _detail(result, locale) or None
        yield reason
        output = None if output is None else f"{locale('counterexample')}\n\n{output}"
    elif result.group != RULES and result.id != HIDDEN:
        output = "\n".join(result.explanation)
    if output:
        system_out = ET.Element("system-out")
        system_out.text = output
        yield system_out


def _detail(result: ShownResult, locale: Locale) -> str:
    """Return the detailed text of a result; for hidden cases, only the hint."""
    if result.id == HIDDEN:
        return result.hint or ""
    text = result.text(locale)
    return f"{result.title}\n{text}" if result.group == RULES else text


def _add_properties(element: ET.Element, **values: str) -> None:
    """Insert a properties element with `values` at the start of `element`."""
    properties = ET.Element("properties")
    for name, value in values.items():
        ET.SubElement(properties, "property", name=name, value=value)
    element.insert(0, properties)  # where pytest puts it


def _number(value: float) -> str:
    return f"{round(value, 4):g}"
