"""`grader check`: one file or folder of one's own."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Final

import pytest
from command_line import RIGHT, WRONG, grader, process, write
from terminal import coloured


@pytest.mark.usefixtures("here")
def test_check_of_all_passed_is_0(capfd: pytest.CaptureFixture[str]) -> None:
    """The points stand on standard output, and nothing is said besides."""
    done = grader(capfd, "check", write("mine.py", RIGHT))
    assert (0, "") == (done.code, done.err)
    assert "2 of 2" in done.out


@pytest.mark.usefixtures("here")
def test_check_of_a_failure_is_1(capfd: pytest.CaptureFixture[str]) -> None:
    """The session that shows the mistake stands on standard output."""
    done = grader(capfd, "check", write("mine.py", WRONG))
    assert (1, "") == (done.code, done.err)
    assert ">>> double(2)" in done.out


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("def double(x)\n", "is not valid Python"),
        (f"exit()\n{RIGHT}", "ends the program while it is loaded"),
        (f"while True: pass\n{RIGHT}", "did not end in time"),
    ],
)
@pytest.mark.usefixtures("here")
def test_check_of_what_cannot_be_run_is_1(
    capfd: pytest.CaptureFixture[str], source: str, said: str
) -> None:
    """Nothing passed, and the reason is told."""
    done = grader(capfd, "check", write("mine.py", source), "--exercise", "double")
    assert 1 == done.code
    assert said in " ".join(done.out.split())


@pytest.mark.parametrize(
    ("source", "exercise"),
    [
        (RIGHT, "double"),
        ("def Double(x):\n    return 2 * x\n", "double"),
        ("async def double(x): return 4\n", "double"),
        ("def double(x)\n    syntax error", "double"),
        ("class Cell: pass\ndef neighbours(cell): return 4\n", "cells"),
        ("class CELL: pass\n", "cells"),
        (RIGHT + "class Cell: pass\n", "double"),
        ("# def neighbours\nx = 'class Cell'\n" + RIGHT, "double"),
    ],
)
@pytest.mark.usefixtures("here")
def test_exercise_is_known_by_what_is_defined(
    capfd: pytest.CaptureFixture[str], source: str, exercise: str
) -> None:
    """Names decide, capitals aside, also in a file that does not compile; the best fit counts."""
    done = grader(capfd, "check", "--json", write("mine.py", source))
    assert exercise == json.loads(done.out)["submissions"][0]["exercise"]


@pytest.mark.parametrize("damage", ["sessions: {\n", "defines: [Cell\n", "\0"])
def test_a_damaged_suite_stops_only_those_who_may_need_it(
    here: Path, capfd: pytest.CaptureFixture[str], damage: str
) -> None:
    """A file that fits another exercise is checked; one that fits none gets to hear of it."""
    (here / "testsuites/cells.yaml").write_text(f"exercise: cells\nmodule: cells\n{damage}")
    assert 0 == grader(capfd, "check", write("mine.py", RIGHT)).code
    done = grader(capfd, "check", write("other.py", "x = 1\n"))
    assert 3 == done.code
    assert "testsuites/cells.yaml:" in done.err


@pytest.mark.parametrize("named", ["double", "testsuites/double.yaml", "elsewhere.yml"])
@pytest.mark.usefixtures("here")
def test_exercise_is_a_name_or_the_path_of_a_suite(
    capfd: pytest.CaptureFixture[str], named: str
) -> None:
    """`--exercise` takes both; a path need not lie in the folder of suites."""
    shutil.copy("testsuites/double.yaml", "elsewhere.yml")
    done = grader(capfd, "check", write("mine.py", RIGHT), "--exercise", named, "--json")
    assert (0, "double") == (done.code, json.loads(done.out)["submissions"][0]["exercise"])


@pytest.mark.usefixtures("here")
def test_check_of_a_folder(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder with a helper is checked whole, also as the current one."""
    write("mine/double.py", "from help_me import double\n")
    write("mine/help_me.py", RIGHT)
    monkeypatch.chdir("mine")
    assert 0 == grader(capfd, "check", ".", "--exercise", "double").code


@pytest.mark.usefixtures("here")
def test_a_folder_with_the_module_is_one_hand_in(capfd: pytest.CaptureFixture[str]) -> None:
    """So a reference is checked by its folder, whatever other solutions lie below it."""
    for path in ("double.py", "correct/other.py", "faulty/one.py", "faulty/two.py"):
        write(f"reference/{path}", RIGHT)
    done = grader(capfd, "check", "reference")
    assert 0 == done.code
    assert "2 of 2" in done.out


IMPORTS: Final = {
    "doubel": "No module named 'doubel'; did you mean 'double'?",
    "helpers": "No module named 'helpers'; was helpers.py handed in?",
}


@pytest.mark.parametrize("name", IMPORTS)
@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Your code imports a module that does not exist: "),
        ("nl", "Je code importeert een module die niet bestaat: "),
        ("es", "Tu código importa un módulo que no existe: "),
    ],
)
def test_import_that_finds_nothing_is_told_in_the_language_of_the_suite(
    here: Path, capfd: pytest.CaptureFixture[str], name: str, language: str, said: str
) -> None:
    """The student reads that there is no such module, and what may be behind it."""
    suite = here / "testsuites/double.yaml"
    suite.write_text(suite.read_text().replace("language: en", f"language: {language}"))
    mine = write("mine.py", f"def double(x):\n    import {name}\n")
    done = grader(capfd, "check", mine, "--exercise", "double")
    assert 1 == done.code
    assert said + IMPORTS[name] in " ".join(done.out.split())


@pytest.mark.usefixtures("here")
def test_data_file_of_an_archive_of_windows_can_be_opened(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A file with a backslash in its name is found in the folder that was meant."""
    write("mine/data\\number.txt", "2")
    write("mine/double.py", "def double(x):\n    return x * int(open('data/number.txt').read())\n")
    assert 0 == grader(capfd, "check", "mine").code


@pytest.mark.usefixtures("here")
def test_check_json_is_all_there_is_on_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    """`--json` prints one document in the format of `results.json`."""
    done = grader(capfd, "check", "--json", write("mine.py", WRONG))
    assert (1, "") == (done.code, done.err)
    document = json.loads(done.out)
    assert ["schema", "submissions"] == list(document)
    assert ["WRONG"] == [case["verdict"] for case in document["submissions"][0]["cases"]]


@pytest.mark.commands
@pytest.mark.usefixtures("here")
def test_no_color_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal gets colour, unless NO_COLOR is set; a pipe never does."""
    for variable in ("NO_COLOR", "FORCE_COLOR", "CI", "GITHUB_ACTIONS"):
        monkeypatch.delenv(variable, raising=False)
    write("mine.py", WRONG)
    colour = re.compile(r"\x1b\[(?:\d+;)*(?:3\d|9\d)m")
    assert colour.search(coloured("check", "mine.py"))
    assert not colour.search(coloured("check", "mine.py", NO_COLOR="1"))
    assert "\x1b" not in process("check", "mine.py").out


@pytest.mark.usefixtures("here")
def test_data_file_that_a_suite_lacks_is_the_students_obstacle(
    capfd: pytest.CaptureFixture[str],
) -> None:
    """A file that no suite provides cannot be opened; the case says so and the run goes on."""
    write("mine.py", "def double(x):\n    return open('grid.txt').read()\n")
    done = grader(capfd, "check", "mine.py")
    assert 1 == done.code
    assert "FileNotFoundError" in done.out


@pytest.mark.usefixtures("here")
def test_cases_can_be_chosen_by_what_is_in_them(capfd: pytest.CaptureFixture[str]) -> None:
    """`-k` looks in ids and code, capitals aside; nothing found is a mistake of usage."""
    mine = write("mine.py", WRONG)
    assert 1 == grader(capfd, "check", mine, "-k", "DOUBLE(2").code
    done = grader(capfd, "check", mine, "-k", "nowhere")
    assert 2 == done.code
    assert "no case has 'nowhere' in its id or code" in done.err


@pytest.mark.usefixtures("here")
def test_all_can_be_asked_for(capfd: pytest.CaptureFixture[str]) -> None:
    """`--all` tells what isolated the submission, which is no news otherwise."""
    mine = write("mine.py", WRONG)
    assert "of 3." in grader(capfd, "check", mine, "--all").out
    assert "of 3." not in grader(capfd, "check", mine).out


@pytest.mark.usefixtures("here")
def test_what_failed_last_can_be_asked_for(capfd: pytest.CaptureFixture[str], here: Path) -> None:
    """`--lf` shows what failed the last time until all of it passes, and then everything.

    It is remembered by file, and nothing is written beside the submission.
    """
    suite = here / "testsuites/double.yaml"
    suite.write_text(suite.read_text() + '      - {do: double(0), returns: "0", group: g}\n')
    mine, before = write("mine.py", WRONG), sorted(here.iterdir())
    assert "0 of 1" not in grader(capfd, "check", mine).out
    assert "0 of 1 point" in grader(capfd, "check", mine, "--lf").out
    assert before == sorted(here.iterdir())
    write("mine.py", RIGHT)
    assert "1 of 1 point" in grader(capfd, "check", mine, "--lf").out
    assert "2 of 2 points" in grader(capfd, "check", mine, "--lf").out
    assert "2 of 2 points" in grader(capfd, "check", write("other.py", RIGHT), "--lf").out


@pytest.mark.parametrize("content", ["", "[", "[1]", '{"double": 3}'])
@pytest.mark.usefixtures("here")
def test_damaged_memory_is_no_memory(capfd: pytest.CaptureFixture[str], content: str) -> None:
    """Whatever lies in the state folder, a file is checked."""
    write(os.path.join(os.environ["XDG_STATE_HOME"], "grader", "last-failed.json"), content)
    assert 0 == grader(capfd, "check", write("mine.py", RIGHT), "--lf").code


@pytest.mark.usefixtures("here")
def test_state_folder_that_cannot_be_written_stops_nobody(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lab machine may let nobody write there: nothing is remembered, or said."""
    monkeypatch.setenv("XDG_STATE_HOME", write("a_file", ""))
    done = grader(capfd, "check", write("mine.py", RIGHT))
    assert (0, "") == (done.code, done.err)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("mine.py", "-k", "nowhere"), "geen testgeval heeft 'nowhere'"),
        (("other.py",), "other.py definieert niets waar een oefening om vraagt"),
        (("empty.py",), "empty.py is leeg"),
        (("mine.py", "both.py"), "er wordt maar één bestand of map tegelijk gecontroleerd"),
        (("nowhere.py",), "nowhere.py bestaat niet"),
        (("class/nowhere.py",), "class/nowhere.py bestaat niet\n  = tip: kijk de naam na; Python"),
        (("bare/nowhere.py",), "bare/nowhere.py bestaat niet\n  = tip: kijk de naam na, en ga na"),
        (("both.py",), "both.py past bij meer dan één oefening"),
        (("class", "--exercise", "double"), "class lijkt een map met inzendingen: 3 bestanden"),
    ],
)
def test_mistakes_in_a_command_are_told_in_the_language_of_the_exercise(
    here: Path, capfd: pytest.CaptureFixture[str], args: tuple[str, ...], said: str
) -> None:
    """Also where it is only known that all exercises are in one language."""
    for suite in (here / "testsuites").iterdir():
        suite.write_text(suite.read_text().replace("language: en", "language: nl"))
    write("mine.py", RIGHT)
    write("empty.py", " \n")
    write("other.py", "x = 1\n")
    write("both.py", RIGHT + "class Cell: ...\ndef neighbours(cell): ...\n")
    for name in "abc":
        write(f"class/{name}.py", RIGHT)
    done = grader(capfd, "check", *args)
    assert 2 == done.code
    assert f"fout: {said}" in done.err
    assert "\n  = tip: " in done.err


@pytest.mark.usefixtures("here")
def test_all_points_are_all_there_is_to_have(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The exit code is 0, whatever is wrong in a part that is worth nothing."""
    suite = here / "testsuites/double.yaml"
    more = '      - {do: triple(1), returns: "3", group: extra}\n'
    text = suite.read_text().replace("points: 2}]", "points: 2}, {id: extra, points: 0}]")
    suite.write_text(text.replace("[double]", "[double, triple]") + more)
    done = grader(capfd, "check", write("mine.py", RIGHT))
    assert (0, True) == (done.code, "1 optional case is not right" in done.out)
    assert 1 == grader(capfd, "check", write("mine.py", WRONG)).code


def test_wrong_exercise_is_recognised(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """One whose names the file has none of, where it fits another; a beginning is no other one."""
    for suite in (here / "testsuites").iterdir():
        suite.write_text(suite.read_text().replace("language: en", "language: nl"))
    cells = write("cells.py", "class Cell: ...\ndef neighbours(cell): ...\n")
    said = (
        "cells.py definieert niets van double\n"
        "  = tip: dit lijkt op cells: grader check cells.py --exercise cells\n"
    )
    assert said == grader(capfd, "check", cells, "--exercise", "double").err
    begun = write("begun.py", f"class Cell: ...\n{RIGHT}")
    assert "" == grader(capfd, "check", begun, "--exercise", "cells").err
    nothing = write("nothing.py", "x = 1\n")
    assert "" == grader(capfd, "check", nothing, "--exercise", "cells").err


def test_verb_typed_wrongly_is_answered(capfd: pytest.CaptureFixture[str]) -> None:
    """What was probably meant is named."""
    done = grader(capfd, "chek", "mine.py")
    assert 2 == done.code
    assert "did you mean grader check?" in done.err


@pytest.mark.parametrize(
    ("args", "said", "way_out"),
    [
        (["chek", "mine.py"], "het commando chek bestaat niet", "bedoel je grader check?"),
        (["mine.py"], "mine.py is geen commando van grader", "om je eigen oplossing te contro"),
        (["check", "nowhere.py"], "nowhere.py bestaat niet", "kijk de naam na"),
        (["check", "mine.py", "--page", "."], "--page kan niet . zijn", "`grader check --help`"),
        (["check", "mine.py", "--exercise", "dubble"], "er is geen oefening dubble", "bedoel je"),
        (["check", "mine.py", "--exercise", "zzz"], "er is geen oefening zzz", "oefeningen in "),
        (["check"], "zeg welk bestand of welke map je wilt controleren", "bijvoorbeeld: grader"),
        (["check", "mine.py", "--wach"], "de optie --wach bestaat niet", "bedoel je --watch?"),
        (["check", "mine.py", "--zzz"], "de optie --zzz bestaat niet", "`grader check --help`"),
        (["check", "mine.py", "-k"], "na -k ontbreekt nog een waarde", "`grader check --help`"),
        (["check", "mine.py", "--watch", "--json"], "--watch gaat niet samen", "laat --watch"),
    ],
    ids=[
        *("verb", "file", "absent", "value", "misspelt", "unknown"),
        *("nothing", "near", "far", "bare", "watch"),
    ],
)
@pytest.mark.parametrize("known", ["by exercise", "by file", "by all", "by computer"])
def test_what_is_not_understood_is_told_in_the_language_of_the_exercise(
    here: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    args: list[str],
    said: str,
    way_out: str,
    known: str,
) -> None:
    """As far as it can be known: of the exercise, the file, all suites, or else the computer."""
    monkeypatch.setenv("LANG", "nl_BE.UTF-8" if known == "by computer" else "fr_FR.UTF-8")
    for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    dutch = {"by all": {"double", "cells"}, "by computer": set[str]()}.get(known, {"double"})
    for suite in (here / "testsuites").iterdir():
        if suite.stem in dutch:
            suite.write_text(suite.read_text().replace("language: en", "language: nl"))
        elif known == "by computer" and suite.stem == "cells":
            suite.write_text(suite.read_text().replace("language: en", "language: es"))
    write("mine.py", RIGHT if known == "by file" else "x = 1\n")
    if known == "by exercise":
        if "--exercise" in args:
            pytest.skip("it is unknown")
        args = [args[0], "--exercise", "double", *args[1:]]
    if known == "by file" and ("nowhere.py" in args or "--exercise" in args):
        pytest.skip("what is missing fits no exercise, and all that is there counts alike")
    if known == "by file" and args == ["check"]:
        pytest.skip("no file is named")
    done = grader(capfd, *args)
    assert 2 == done.code
    assert done.err.startswith(f"fout: {said}")
    assert f"\n  = tip: {way_out}" in done.err
