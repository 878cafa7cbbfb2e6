"""From the YAML that an instructor writes to a suite, or to all that is wrong with it.

The way of a suite, each step in a module of its own::

    bytes      source       size, UTF-8, characters that YAML forbids
    text       document     YAML events -> plain data, and the place of every value
    data       forms        types and single texts, by pydantic; form_errors says it in our words
    forms      drafts       all parts that are valid, even if others are not
    draft      suite_building, case_building, session_building, rule_building   what parts ask
               of each other; of a hidden suite hidden_building
    suite      `grader.suite.Suite`

A mistake becomes a `Diagnostic`. Only what makes reading on senseless ends the loading at once;
everything else is collected, so that an author sees all mistakes together.
"""

from __future__ import annotations

from grader.loading.diagnostics import Diagnostic, InvalidSuite, render, render_all
from grader.loading.schema import hidden_schema, schema_text, suite_schema
from grader.loading.suite_files import (
    hidden_suite_of,
    is_hidden_suite,
    load_suite,
    load_whole_suite,
    parse_hidden_suite,
    parse_suite,
    stray_hidden_suites,
)

__all__ = [
    "Diagnostic",
    "InvalidSuite",
    "hidden_schema",
    "hidden_suite_of",
    "is_hidden_suite",
    "load_suite",
    "load_whole_suite",
    "parse_hidden_suite",
    "parse_suite",
    "render",
    "render_all",
    "schema_text",
    "stray_hidden_suites",
    "suite_schema",
]
