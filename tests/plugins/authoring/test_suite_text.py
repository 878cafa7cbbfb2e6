"""Suites as YAML: readable, and read back as they were."""

from __future__ import annotations

import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from grader.plugins.authoring.suite_text import CaseLines, as_yaml


def test_yaml_is_quoted_where_yaml_would_retype() -> None:
    """Expectations come back as the text they were, and read well."""
    document = {
        "format": 2,
        "spec": "s.md",
        "one": "1", "no": "no", "octal": "010", "float": "1e3", "sexagesimal": "1:20",
        "text": "'x'", "block": "a\n  b\n", "list": ["a", "b"], "records": [{"x": 1}],
    }  # fmt: skip
    text = as_yaml(document, schema="../x.json")
    assert document == yaml.safe_load(text)
    assert text.startswith(
        "# yaml-language-server: $schema=../x.json\n"
        "# Derived from s.md: change the spec or its settings and derive again, not this file.\n"
    )
    assert '\none: "1"\n' in text
    assert "\nblock: |\n  a\n    b\n" in text
    assert "\nlist: [a, b]\n" in text
    assert "\nrecords:\n  - x: 1\n" in text
    assert text == as_yaml(document, schema="../x.json")


def test_sessions_of_a_program_take_a_line_for_a_case() -> None:
    """What leads to a case stands before it as far as there is room; nothing is broken in two."""
    asked = {"do": "print(a)", "stdout": "a\nb\n", "group": "x", "line": 1}
    sessions = [
        {"id": "g1", "uses": ["A"], "steps": [{"do": "a = 'A'"}, {"do": r"f(a, '\n')"}, asked]},
        {"id": "g2", "steps": [asked, {"do": "1"}, {"do": f"a = {['long'] * 15}"}, asked]},
    ]
    document = {"spec": "s.md", "sessions": CaseLines(sessions)}
    text = as_yaml(document, schema=None)
    assert {"format": 2, "spec": "s.md", "sessions": sessions} == yaml.safe_load(text)
    written = r"""
sessions:
  - {id: g1, uses: [A], steps: [
      {do: a = 'A'}, {do: 'f(a, ''\n'')'}, {do: print(a), stdout: "a\nb\n", group: x, line: 1}]}
  - {id: g2, steps: [
      {do: print(a), stdout: "a\nb\n", group: x, line: 1},
      {do: "1"},
      {do: "a = [LONG]"},
      {do: print(a), stdout: "a\nb\n", group: x, line: 1}]}
"""
    assert text.endswith(written.replace("LONG", ", ".join(["'long'"] * 15)))


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.text(st.characters(codec="utf-8"), max_size=30))
)
@example({"a": "\x85", "b": "x\u2028\n", "c": "\ufeff", "d": " \n x \n\n", "e": "\r\n\t"})
def test_yaml_gives_back_every_text(texts: dict[str, str]) -> None:
    """Whatever a reference returns, its text survives the way through YAML."""
    document = {"format": 2, "spec": "s.md", **texts}
    assert document == yaml.safe_load(as_yaml(document, schema="x"))
    sessions = [{"id": "g1", "steps": [texts, texts]}]
    text = as_yaml({"sessions": CaseLines(sessions)}, schema=None, origin="a test")
    assert {"format": 2, "sessions": sessions} == yaml.safe_load(text)
