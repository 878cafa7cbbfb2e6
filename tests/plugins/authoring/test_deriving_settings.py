"""What the settings of an exercise say of more than its sessions reaches the suite."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from builders import HEAD
from suites_with_rules import GOOD
from test_value_limits import NEST

from grader.errors import UsageError
from grader.plugins.authoring.deriving.derivation import derive
from grader.plugins.authoring.deriving.document import board_document, suite_document
from grader.plugins.authoring.deriving.settings import load_settings
from grader.plugins.authoring.suite_text import as_yaml
from grader.sandbox.zygote import Zygote
from grader.suite.board import Board
from grader.suite.diagnostics import SuiteText
from grader.suite.loading import InvalidSuite
from grader.suite.reading import read_document


def test_rules_go_through_a_derivation(tmp_path: Path) -> None:
    """Rules, advice and the address of the spec go from the settings into the suite as they are."""
    data = yaml.safe_load(GOOD)
    kept = {key: data[key] for key in ("rules", "advice", "spec_url")}
    path = tmp_path / "exercise.yaml"
    small = {"exercise": "x", "title": "X", "language": "nl", "module": "x", "defines": ["f"]}
    path.write_text(yaml.safe_dump({**small, **kept}, sort_keys=False), encoding="utf-8")

    text = as_yaml(suite_document(load_settings(path), "spec.md", []), schema="s.json")
    derived = read_document(SuiteText.from_text("x.yaml", text)).data

    assert isinstance(derived, dict)
    assert kept == {key: derived[key] for key in kept}
    assert "    sizes: [5, 20, 80]\n" in text.replace("      ", "    ")
    path.write_text(yaml.safe_dump({**small, **{k: derived[k] for k in kept}}), encoding="utf-8")
    again = as_yaml(suite_document(load_settings(path), "spec.md", []), schema="s.json")
    assert yaml.safe_load(text) == yaml.safe_load(again)


def test_settings_without_rules_say_nothing_of_them(tmp_path: Path) -> None:
    """A derived suite has no keys about rules that its settings do not have."""
    path = tmp_path / "exercise.yaml"
    path.write_text(
        "exercise: x\ntitle: X\nlanguage: nl\nmodule: x\ndefines: [f]\n", encoding="utf-8"
    )

    document = suite_document(load_settings(path), "spec.md", [])

    assert not {"rules", "advice", "spec_url"} & document.keys()


def test_mistakes_in_the_rules_of_settings(tmp_path: Path) -> None:
    """What is wrong with a rule is told where it stands in the settings."""
    path = tmp_path / "exercise.yaml"
    path.write_text(
        "exercise: x\ntitle: X\nlanguage: nl\nmodule: x\ndefines: [f]\n"
        "rules:\n  loops:\n    - {functions: [f], forbit: [for]}\n",
        encoding="utf-8",
    )

    with pytest.raises(InvalidSuite) as caught:
        load_settings(path)

    assert [
        (8, "a rule on loops needs the key 'forbid'"),
        (8, "unknown key 'forbit' (did you mean 'forbid'?)"),
    ] == [(one.line, one.message) for one in caught.value.diagnostics]


@pytest.mark.parametrize(
    "written",
    [
        {"positions": True, "origin": "bottom-left", "base": 1, "order": "column-row"},
        {"cells": {"empty": "- .", "number": "A=1 2 ?"}, "numbers": "piece"},
        {"cells": {"piece": "red=r green"}},
    ],
)
def test_form_as_written(written: dict[str, object]) -> None:
    """What a derivation hands on is what the settings said."""
    assert written == board_document(Board.validate(written))


def test_a_derived_suite_carries_its_imports(zygote: Zygote, tmp_path: Path) -> None:
    """The key goes from the settings to the suite, and holds for the reference already."""
    (tmp_path / "exercise.yaml").write_text(f"{HEAD}imports: [math, random]\n", encoding="utf-8")
    (tmp_path / "sample.py").write_text("import math\nf = math.floor\n", encoding="utf-8")
    settings = load_settings(tmp_path / "exercise.yaml")
    made = derive(">>> f(1.5)\n1\n", "spec.md", tmp_path / "sample.py", settings, zygote)
    assert ["math", "random"] == made.document["imports"]
    assert "limits" == [*made.document, "limits"][-1]


def test_a_derived_suite_without_imports_has_no_such_key(zygote: Zygote, tmp_path: Path) -> None:
    """What the settings leave out, the suite leaves out too."""
    (tmp_path / "exercise.yaml").write_text(HEAD, encoding="utf-8")
    (tmp_path / "sample.py").write_text("import math\nf = math.floor\n", encoding="utf-8")
    settings = load_settings(tmp_path / "exercise.yaml")
    made = derive(">>> f(1.5)\n1\n", "spec.md", tmp_path / "sample.py", settings, zygote)
    assert "imports" not in made.document


def test_a_derivation_keeps_to_the_limits_of_its_settings(zygote: Zygote, tmp_path: Path) -> None:
    """The reference may give back what every submission may."""
    (tmp_path / "exercise.yaml").write_text(f"{HEAD}limits: {{value_depth: 60}}\n")
    (tmp_path / "sample.py").write_text(NEST.format(depth=60, wrap="[value]"), encoding="utf-8")
    settings = load_settings(tmp_path / "exercise.yaml")
    spec = f">>> f()\n{'[' * 60}0{']' * 60}\n"
    made = derive(spec, "spec.md", tmp_path / "sample.py", settings, zygote)
    assert {"value_depth": 60} == made.document["limits"]


def test_a_table_as_pandas_prints_it(tmp_path: Path) -> None:
    """A spec shows a table as the prompt does; the suite asks for what is in it."""
    pytest.importorskip("pandas")
    (tmp_path / "m.py").write_text(
        "import pandas as pd\ndef table():\n    return pd.DataFrame({'a': [1.5]})\n"
    )
    (tmp_path / "exercise.yaml").write_text(
        "exercise: m\ntitle: M\nlanguage: en\nmodule: m\ndefines: [table]\nimports: [pandas]\n"
    )
    text = ">>> table()\n     a\n0  1.5\n"
    settings = load_settings(tmp_path / "exercise.yaml")
    with Zygote(packages=["pandas"]) as zygote:
        done = derive(text, "spec.md", tmp_path / "m.py", settings, zygote)
    (step,) = done.document["sessions"][0]["steps"]
    wanted = (
        "DataFrame(columns=['a'], index=[0], kinds=['float'], cells=array([[1.5]], dtype=object))"
    )
    assert wanted == step["returns"]


def test_files_by_their_names(zygote: Zygote, tmp_path: Path) -> None:
    """A table of three hundred lines stands in a file of its own, and goes into the suite."""
    (tmp_path / "exercise.yaml").write_text(
        "exercise: x\ntitle: X\nlanguage: en\nmodule: x\ndefines: []\nfiles: [data/a.csv]\n"
    )
    (tmp_path / "x.py").write_text("def f(name): return open(name).read()\n")
    with pytest.raises(UsageError, match=r"cannot read .*a\.csv, which `files` lists"):
        load_settings(tmp_path / "exercise.yaml")
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("1,2")
    settings = load_settings(tmp_path / "exercise.yaml")
    spec = ">>> f('data/a.csv')\n'1,2'\n"
    done = derive(spec, "spec.md", tmp_path / "x.py", settings, zygote)
    assert {"data/a.csv": "1,2"} == done.document["files"]
