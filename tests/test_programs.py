"""A step that runs a program: what is typed to it, what is on its screen, how it ends."""

from __future__ import annotations

from typing import Final

import pytest
from builders import by_id, graded

from grader.errors import ProtocolError
from grader.judging.record import CaseResult
from grader.judging.screens import outputs_without_prompts, screen_text
from grader.reporting.runnable import runnable_program
from grader.reporting.wording import Locale, format_message
from grader.sandbox.observation import Observation, Returned, decode_observation
from grader.sandbox.zygote import Zygote
from grader.values.tree import Atom
from grader.verdict import Verdict

TWO: Final = """
groups: [{id: g, points: 1}]
sessions:
- id: s
  steps:
  - run: sample
    stdin: "3\\n4\\n"
    stdout: |
      A? 3
      B? 4
      7
    group: g
"""
RIGHT: Final = "print(int(input('A? ')) + int(input('B? ')))\n"


def case(zygote: Zygote, source: str, step: str = "") -> CaseResult:
    """Return the case of a program with this `source`, on `step` or on one that reads two lines."""
    body = TWO
    if step:
        body = (
            f"groups: [{{id: g, points: 1}}]\nsessions: [{{id: s, steps: [{{{step}, group: g}}]}}]"
        )
    return by_id(graded(zygote, body, source))["g/1"]


def said(result: CaseResult, language: str = "en") -> list[str]:
    """Return the explanation of a case."""
    return [format_message(each, language) for each in result.explanation]


@pytest.mark.parametrize(
    "stdout", ["A? 3\nB? 4\n7\n", "A? B? 7\n"], ids=["as on the screen", "as in a pipe"]
)
def test_output_may_be_written_with_what_is_typed_or_without(zygote: Zygote, stdout: str) -> None:
    """A console shows both, a pipe what is printed."""
    step = f'run: sample, stdin: "3\\n4\\n", stdout: {stdout!r}'.replace("'", '"')
    assert Verdict.PASSED is case(zygote, RIGHT, step).verdict


def test_the_screen_is_shown(zygote: Zygote) -> None:
    """Who is wrong sees the command, and the screen with what was typed."""
    result = case(zygote, RIGHT.replace("+", "*"))
    assert (Verdict.WRONG, "$ python sample.py") == (result.verdict, result.code)
    assert ("A? 3\nB? 4\n7", "A? 3\nB? 4\n12") == (result.expected, result.got)
    (line,) = result.transcript
    assert ("", "A? 3\nB? 4\n12\n") == (line.prompt, line.output)


@pytest.mark.parametrize(
    ("source", "verdict", "sentence"),
    [
        (
            f"while True: {RIGHT}",
            Verdict.ERROR,
            {
                "en": "Your program asks for input again, but only 2 lines of input are given",
                "nl": "Je programma vraagt nog eens invoer nadat alle regels zijn ingetypt",
                "es": "Tu programa vuelve a pedir datos cuando ya se han escrito todas las líneas",
            },
        ),
        (
            "print(int(input('A? ')) + 3)\n",
            Verdict.WRONG,
            {
                "en": "Your program reads only 1 of the 2 lines of input.",
                "nl": "Je programma leest 1 van de regels die worden ingetypt",
                "es": "Tu programa lee 1 de las líneas que se escriben",
            },
        ),
        (
            "print(7)\n",
            Verdict.WRONG,
            {
                "en": "Your program does not read any of the 2 lines of input.",
                "nl": "Je programma leest geen enkele van de 2 regels die worden ingetypt.",
            },
        ),
        (
            "while True:\n    try:\n        print(int(input('A? ')))\n    except: print('again')\n",
            Verdict.OUTPUT,
            {"en": "This step prints far too much text."},
        ),
    ],
)
def test_who_asks_too_often_or_too_seldom_is_told(
    zygote: Zygote, source: str, verdict: Verdict, sentence: dict[str, str]
) -> None:
    """The number of lines says more than what came of it."""
    result = case(zygote, source)
    assert verdict is result.verdict
    for language, start in sentence.items():
        assert said(result, language)[0].startswith(start)


def test_a_program_that_nobody_types_to(zygote: Zygote) -> None:
    """One that should not ask at all is told so."""
    result = case(zygote, "input('Enter to start')\n", "run: sample, stdout: hello")
    assert "Your program asks for input, but no input is given here." == said(result)[0]


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("", 0),
        ("import sys\nsys.exit()", 0),
        ("raise SystemExit(2)", 2),
        ("import sys\nsys.exit('no such file')", 1),
        ("exit(258)", 2),
        ("1 / 0", 1),
    ],
)
def test_how_a_program_ends(zygote: Zygote, source: str, code: int) -> None:
    """Its exit code is what the system would be told."""
    assert Verdict.PASSED is case(zygote, source, f"run: sample, exits: {code}").verdict
    other = case(zygote, source, f"run: sample, exits: {code + 3}")
    assert other.verdict in {Verdict.WRONG, Verdict.ERROR}
    if other.verdict is Verdict.WRONG:
        assert [f"Your program ends with exit code {code}; it should be {code + 3}."] == said(other)


def test_an_exception_of_a_program_can_be_expected(zygote: Zygote) -> None:
    """It is raised like that of any other step."""
    step = "run: sample, stdin: x, raises: ValueError"
    assert Verdict.PASSED is case(zygote, "int(input())", step).verdict
    assert Verdict.WRONG is case(zygote, "input()", step).verdict


def test_a_program_is_the_main_module_and_has_its_arguments(zygote: Zygote) -> None:
    """`__name__` and `sys.argv` are what they are at home, and its names are found by pickle."""
    source = """
        import pickle, sys
        class A: pass
        if __name__ == "__main__":
            print(sys.argv, pickle.loads(pickle.dumps(A())).__class__ is A)
        """
    step = "run: sample, argv: [a, 'b c'], stdout: \"['sample.py', 'a', 'b c'] True\""
    assert Verdict.PASSED is case(zygote, source, step).verdict


def test_each_run_starts_anew_and_its_files_stay(zygote: Zygote) -> None:
    """Names go with a run; what it wrote can be looked at."""
    body = """
    groups: [{id: g, points: 3}]
    sessions:
    - id: s
      steps:
      - {run: sample, stdin: a, stdout: "", group: g}
      - {run: sample, stdin: b, stdout: "", group: g}
      - {do: open('log').read(), returns: "'ab'", group: g}
    """
    source = "assert 'x' not in globals()\nx = input()\nopen('log', 'a').write(x)\n"
    cases = by_id(graded(zygote, body, source))
    assert [Verdict.PASSED] * 2 == [cases[f"g/{number}"].verdict for number in (1, 2)]
    assert Verdict.PASSED is cases["g/3"].verdict


def test_functions_and_a_program_of_one_module(zygote: Zygote) -> None:
    """A module that asks when it is imported can still be run, and the other way round."""
    body = """
    groups: [{id: f, points: 1}, {id: p, points: 1}]
    sessions:
    - {id: s, steps: [{do: double(2), returns: "4", group: f}]}
    - {id: p, steps: [{run: sample, stdin: "3", stdout: "6", group: p}]}
    """
    double = "def double(x):\n    return 2 * x\n"
    asks = by_id(graded(zygote, body, f"{double}print(double(int(input())))\n"))
    assert (Verdict.SKIPPED, Verdict.PASSED) == (asks["f/1"].verdict, asks["p/1"].verdict)
    silent = by_id(graded(zygote, body, double))
    assert (Verdict.PASSED, Verdict.WRONG) == (silent["f/1"].verdict, silent["p/1"].verdict)


def test_a_program_that_is_no_python_cannot_be_run(zygote: Zygote) -> None:
    """It is as ungradable as a module that cannot be imported."""
    record = graded(zygote, TWO, "print(\n")
    assert "ungradable" == record.status.value
    assert "ungradable.syntax" == record.remarks[0].key


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("for line in __import__('sys').stdin: print(line, end='')", "a\n\nb"),
        ("print(__import__('sys').stdin.read())", "a\n\nb"),
        ("print([*map(len, __import__('sys').stdin.readlines())])", "[2, 1, 1]"),
        ("print(__import__('sys').stdin.read(1) + input() + '.')", "a."),
        ("print(repr(__import__('sys').stdin.read(3)) + input())", "'a\\\\n\\\\n'b"),
    ],
)
def test_all_ways_to_read(zygote: Zygote, source: str, expected: str) -> None:
    """Standard input is a stream, and `input` reads from it."""
    step = f'run: sample, stdin: "a\\n\\nb", stdout: "{expected}", ignore: [prompts]'
    step = step.replace("\n", "\\n")
    assert Verdict.PASSED is case(zygote, source, step).verdict


def observed(stdout: str, *asked: int) -> Observation:
    """Return the observation of a program that printed `stdout` and read lines there."""
    return Observation(
        outcome=Returned(value=Atom(0), identity=None), stdout=stdout, read_offsets=asked
    )


def test_the_screen_has_what_is_typed() -> None:
    """It stands where the program read it; who reads less leaves the rest untyped."""
    seen = observed("A? B? sum\n", 3, 6)
    assert "A? 3\nB? 4\nsum\n" == screen_text(seen, ["3", "4", "5"])
    assert "A?_3\nB?_4\nsum\n" == screen_text(seen, ["3", "4"], "_")


@pytest.mark.parametrize(
    ("seen", "forms"),
    [
        (observed("A? B? sum\n", 3, 6), ("sum\n", "sum\n")),
        (observed("menu\nA? sum\n", 8), ("menu\nsum\n", "menu\nsum\n")),
        (observed("menu\nA?\nsum\n", 8), ("menu\nA?\nsum\n", "menu\nsum\n")),
        (observed("A?\nsum\n", 3), ("A?\nsum\n", "sum\n")),
    ],
)
def test_prompts_are_what_stands_before_a_line(seen: Observation, forms: tuple[str, ...]) -> None:
    """On the line itself, or on a line of its own before it."""
    assert forms == outputs_without_prompts(seen, ["3"] * len(seen.read_offsets))


@pytest.mark.parametrize("asked", [[3], [-1], [2, 1], [1.0], "1", [True], [0] * 10_001])
def test_places_that_are_none_are_tampered_with(asked: object) -> None:
    """They are in the text, and in order."""
    facts: dict[str, object] = {
        "value": None,
        "id": None,
        "bound": {},
        "stdout": "ab",
        "overflow": False,
    }
    with pytest.raises(ProtocolError, match="invalid offsets"):
        decode_observation({**facts, "asked": asked}, ())
    assert (0, 2) == decode_observation({**facts, "asked": [0, 2]}, ()).read_offsets
    for waited in (1, "yes", None, True):
        with pytest.raises(ProtocolError, match="wait"):
            decode_observation({**facts, "asked": [], "waited": waited}, ())
    assert decode_observation({**facts, "asked": [0], "waited": True}, ()).waited


def test_a_command_is_no_program_to_paste(zygote: Zygote) -> None:
    """What starts a program is no line of Python."""
    record = graded(zygote, TWO, "print(0)\n")
    assert runnable_program(by_id(record)["g/1"], record, Locale("en")) is None


SUM: Final = "print(int(input('A? ')) + int(input('B? ')))"
FREE: Final = 'run: sample, stdin: "3\\n4\\n", stdout: "7", ignore: [prompts]'


@pytest.mark.parametrize(
    "source",
    [
        "import sys\nprint(sum(map(int, sys.stdin.buffer)))",
        "import sys\nprint(int(sys.stdin.buffer.readline()) + int(input()))",
        "import io, sys\nsys.stdin = io.TextIOWrapper(io.BufferedReader(sys.stdin.buffer))\n" + SUM,
        "with open(0) as f: print(sum(map(int, f.read().split())))",
        "print(sum(map(int, open('/dev/stdin', 'rb').readlines())))",
        "import os\nprint(sum(map(int, os.read(0, 1 << 16).split())))",
        "import fileinput\nprint(sum(map(int, fileinput.input())))",
        "import getpass\nprint(int(getpass.getpass('A? ')) + int(input()))",
        "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, 'utf-8')\n" + SUM,
        "import io, sys\nout = io.TextIOWrapper(sys.stdout.buffer)\n"
        + SUM.replace(")))", ")), file=out)"),
        "import os\nos.write(1, b'%d' % (int(input('A? ')) + int(input())))\nos._exit(0)",
        "import atexit\n@atexit.register\ndef end(): " + SUM,
        "class A:\n    def __del__(self): " + SUM + "\na = A()",
        "import threading\ndef work(): "
        + SUM
        + "\nt = threading.Thread(target=work)\nt.start()\nt.join()",
    ],
)
def test_streams_are_what_they_are_at_home(zygote: Zygote, source: str) -> None:
    """They have bytes and numbers below, and what comes at the end of a program is its output."""
    assert Verdict.PASSED is case(zygote, source, FREE).verdict
    assert Verdict.WRONG is case(zygote, source, FREE.replace('"7"', '"8"')).verdict


@pytest.mark.parametrize(
    ("rest", "verdict"),
    [
        ("input('Press Enter to leave')", Verdict.PASSED),
        ("print('Press Enter')\ninput()", Verdict.PASSED),
        ("if input('Again? ') == 'y': print('again')", Verdict.PASSED),
        ("input('Press Enter')\nprint('bye')", Verdict.ERROR),
        ("input('Press Enter')\ninput('Again?')", Verdict.ERROR),
        ("input('Press Enter')\nraise SystemExit(1)", Verdict.WRONG),
        ("print('bye')\ninput('Press Enter')", Verdict.WRONG),
    ],
)
def test_a_program_may_wait_at_its_end(zygote: Zygote, rest: str, verdict: Verdict) -> None:
    """What was asked for is on the screen by then; but nothing may come behind it."""
    for step in ("", FREE):
        assert verdict is case(zygote, f"{SUM}\n{rest}", step).verdict


@pytest.mark.parametrize(
    ("source", "verdict"),
    [
        ("for n in range(3):\n    x = input()\n    if n == 1: print(7)", Verdict.ERROR),
        (f"{SUM}\ntry: input('Enter')\nexcept EOFError: print('bye')", Verdict.WRONG),
        (f"import atexit, time\n{SUM}\natexit.register(print, 'x')", Verdict.WRONG),
        (f"import atexit\n{SUM}\natexit.register(print, 'x' * 9**7)", Verdict.OUTPUT),
        (
            f"{SUM}\nfrom threading import *\nThread(target=lambda: [*iter(int, 1)]).start()",
            Verdict.MEMORY,
        ),
    ],
)
def test_who_asks_or_does_more_at_the_end_is_wrong(
    zygote: Zygote, source: str, verdict: Verdict
) -> None:
    """One line too many in a loop is a mistake, and so is what comes behind the end."""
    assert verdict is case(zygote, source, FREE).verdict


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("if __name__ == 'main':\n    main()", ["remark.main_word"]),
        ("if __name__ == '__main__':\n    main  # start", ["remark.main_named"]),
        ("# main() starts it", ["remark.main_uncalled"]),
        ("main()", []),
        ("print()\nif __name__ == 'main': main()", ["remark.main_word"]),
        ("print('no')\nif __name__ == 'main': main()", []),
    ],
)
def test_a_program_that_is_never_started_is_told_why(
    zygote: Zygote, rest: str, told: list[str]
) -> None:
    """Where the cause is plain to see, nobody has to look for it in what was not read."""
    record = graded(zygote, TWO, f"def main():\n    {RIGHT}{rest}\n")
    assert told == [remark.key for remark in record.remarks]
    assert all(format_message(remark, "nl") for remark in record.remarks)


@pytest.mark.parametrize(
    ("ending", "verdict"),
    [
        ("input('Press enter')", Verdict.PASSED),
        ("try: input('Press enter')\nexcept EOFError: pass", Verdict.PASSED),
        ("import contextlib\nwith contextlib.suppress(EOFError): input('Enter')", Verdict.PASSED),
        ("try: input('Again? ')\nexcept EOFError: raise SystemExit", Verdict.PASSED),
        ("try: input('Again? ')\nexcept EOFError: print('Bye')", Verdict.WRONG),
        ("try: input('A '); input('B ')\nexcept EOFError: pass\nprint(7)", Verdict.WRONG),
    ],
)
def test_who_waits_at_the_end_prompts(zygote: Zygote, ending: str, verdict: Verdict) -> None:
    """Where prompts do not count, that of the last Enter does not either, guarded or not."""
    step = 'run: sample, stdin: "3\\n4\\n", stdout: "7\\n", ignore: [prompts]'
    source = "print(int(input('A? ')) + int(input('B? ')))\n" + ending
    assert verdict is case(zygote, source, step).verdict


# Functions that ask

ASKS: Final = """
def ask_age():
    while True:
        text = input("How old are you? ")
        if text.isdigit():
            return int(text)
        print("Type a number.")
"""
TYPED: Final = 'stdin: "ten\\n12\\n"'
SCREEN: Final = 'shows: "How old are you? ten\\nType a number.\\nHow old are you? 12\\n12\\n"'


@pytest.mark.parametrize(
    ("source", "expected", "verdict"),
    [
        (ASKS, 'returns: "12"', Verdict.PASSED),
        (ASKS, SCREEN, Verdict.PASSED),
        (ASKS.replace("How old are you", "Age"), 'returns: "12"', Verdict.PASSED),
        (ASKS.replace("How old are you", "Age"), SCREEN, Verdict.WRONG),
        (
            ASKS.replace("How old are you", "Age"),
            'shows: "Type a number.\\n12\\n", ignore: [prompts]',
            Verdict.PASSED,
        ),
        (ASKS.replace("return", "print(int(text)); return"), 'returns: "12"', Verdict.PASSED),
        (ASKS.replace("return int(text)", "print(text); return"), 'returns: "12"', Verdict.WRONG),
        (
            (
                "import sys\ndef ask_age():\n    for line in sys.stdin:\n"
                "        if line.strip().isdigit(): return int(line)\n"
            ),
            'returns: "12"',
            Verdict.PASSED,
        ),
    ],
)
def test_lines_are_typed_to_a_function(
    zygote: Zygote, source: str, expected: str, verdict: Verdict
) -> None:
    """What it returns is compared, or what stands on the screen, with the value as at a prompt."""
    result = case(zygote, source, f"do: ask_age()  , {TYPED}, {expected}")
    assert (verdict, "ask_age()") == (result.verdict, result.code)


def test_who_asks_a_function_reads_what_is_typed(zygote: Zygote) -> None:
    """A function that asks once more has no Enter typed, and its student reads what was."""
    once = "def ask_age():\n    text = input()\n    return None\n"
    result = case(zygote, once, f'do: ask_age(), {TYPED}, returns: "12"')
    assert "The input here: ten, 12." == said(result)[-1]
    more = ASKS.replace("return int(text)", "input(); return int(text)")
    result = case(zygote, more, f'do: ask_age(), {TYPED}, returns: "12"')
    assert [
        ("Your program asks for input again, but only 2 lines of input are given here."),
        "The input here: ten, 12.",
    ] == said(result)


def test_lines_are_typed_to_one_step_only(zygote: Zygote) -> None:
    """What is left is gone, a statement can be typed to, and later steps are asked as before."""
    body = """
groups: [{id: g, points: 3}]
sessions:
- id: s
  steps:
  - {do: "age = ask_age()  # a remark", stdin: "7\\n8\\n"}
  - {do: age, returns: "7", group: g}
  - {do: ask_age(), raises: EOFError, group: g}
  - {do: ask_age(), stdin: "9\\n", returns: "9", group: g}
"""
    cases = by_id(graded(zygote, body, ASKS))
    assert [Verdict.PASSED] * 3 == [cases[f"g/{number}"].verdict for number in (1, 2, 3)]


KEPT: Final = {
    "as a default value": "def ask_age(read=input): return int(read('Age? '))\n",
    "in a class": "class A: ask = staticmethod(input)\ndef ask_age(): return int(A.ask())\n",
    "from sys": "from sys import stdin\ndef ask_age(): return int(stdin.readline())\n",
    "as a file": "import sys\nlines = iter(sys.stdin)\ndef ask_age(): return int(next(lines))\n",
}


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_who_keeps_what_asks_has_what_is_typed(zygote: Zygote, source: str) -> None:
    """There is one `input`, and one standard input, from when the module is loaded, as at home."""
    result = case(zygote, source, 'do: ask_age(), stdin: "12\\n", returns: "12"')
    assert Verdict.PASSED is result.verdict


def test_what_was_not_read_is_gone_for_who_keeps_it(zygote: Zygote) -> None:
    """The next step finds nothing on a standard input that the one before has kept."""
    body = """
groups: [{id: g, points: 2}]
sessions:
- id: s
  steps:
  - {do: first(), stdin: "1\\n2\\n", returns: "'1'", group: g}
  - {do: second(), returns: "''", group: g}
"""
    source = (
        "import sys\ndef first():\n    global kept\n    kept = sys.stdin\n    return input()\n"
        "def second(): return kept.readline()\n"
    )
    cases = by_id(graded(zygote, body, source))
    assert [Verdict.PASSED] * 2 == [cases[f"g/{number}"].verdict for number in (1, 2)]


def test_a_prompt_is_no_stray_print(zygote: Zygote) -> None:
    """Where something is asked, an exception may come after it, and nothing is to be removed."""
    body = (
        "groups: [{id: g, points: 1}]\nsessions: [{id: s, steps: [{do: ask_age(), stdin: '', "
        "raises: EOFError, group: g}, {do: ask_age(), group: g}]}]"
    )
    record = graded(zygote, body, ASKS)
    assert () == record.remarks
    skipped = [said(each) for each in by_id(record).values() if each.verdict is not Verdict.PASSED]
    assert "__type__" not in str(skipped)


def test_a_failed_step_is_named_without_what_types_to_it(zygote: Zygote) -> None:
    """Who could not be tried further reads the code of the step as the suite has it."""
    body = """
groups: [{id: g, points: 1}]
sessions:
- id: s
  steps:
  - {do: age = ask_age(), stdin: "7\\n"}
  - {do: age, returns: "7", group: g}
"""
    (result,) = by_id(graded(zygote, body, "def ask_age(): return input() / 2\n")).values()
    assert "age = ask_age()" in said(result)[0]
    assert "__type__" not in str(result)
