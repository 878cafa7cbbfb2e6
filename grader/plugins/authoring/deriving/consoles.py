"""Finds console sessions in a spec: a command that starts a program, and the screen below it.

```console
$ python sum.py
First number: 3
Second number: 4
The sum is 7
```

Nothing on the screen marks the typed lines. So the reference runs with the typed lines that are
known so far. Where it reads another line, the rest of that line of the screen was typed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from grader.judging.printing import exception_text
from grader.judging.screens import outputs_without_prompts, screen_text
from grader.plugins.authoring.code_blocks import code_blocks, indentation
from grader.plugins.authoring.deriving.document import DerivedSession
from grader.plugins.authoring.deriving.doubts import Doubt, SpecError
from grader.plugins.authoring.deriving.drafts import program_draft
from grader.plugins.authoring.deriving.examples import Example
from grader.plugins.authoring.deriving.reconciling import ADVICE, DerivedExpectation
from grader.plugins.authoring.solutions import ending_problem, loading_failure
from grader.protocol import RUN
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item
from grader.sandbox.sessions import SessionRunner
from grader.values.differences import comparable_lines, looks_alike
from grader.values.foreign_text import count_noun, one_line
from grader.values.tree import Atom

# The prompt is `$` of a POSIX shell, or the current folder on Windows.
_COMMAND: Final = re.compile(
    r"\s*(?:\$|[A-Za-z]:\\[^>]*>) *(?:python3?|py) +(?P<module>\w+)\.py(?P<rest>(?: .*)?)"
)
_TRACEBACK: Final = "Traceback (most recent call last):"
_MAX_TYPED_LINES: Final = 200  # a reference can read endlessly, and each line costs a run
_LONG_SCREEN_LINES: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """A console session of the spec."""

    line: int
    """The line of the command in the spec, 1-based."""
    module: str
    arguments: tuple[str, ...]
    screen: str
    """All text that is printed or typed until the program ends."""


def find_consoles(text: str, modules: Collection[str]) -> Iterator[Console]:
    """Yield the console sessions in the spec `text` that run one of `modules` and show output.

    Raises `SpecError` if a command cannot be split into arguments.
    """
    lines = text.splitlines()
    fenced = {
        number: block.code.line_after
        for block in code_blocks(lines)
        for number in range(block.code.first_line, block.code.line_after)
    }
    for number, line in enumerate(lines, start=1):
        command = _COMMAND.fullmatch(line)
        # Other commands, such as `$ pip install`, are not examples.
        if command is None or command["module"] not in modules:
            continue
        screen_lines = list(
            _screen_lines(lines[number:], number + 1, indentation(line), fenced.get(number))
        )
        if any(screen_lines):
            screen = "\n".join(screen_lines)
            try:
                arguments = tuple(shlex.split(command["rest"]))
            except ValueError as error:
                raise SpecError(
                    number,
                    f"the arguments of this command cannot be read: {str(error).lower()}",
                    help="write two quotes around an argument, or a \\ before a quote in it",
                ) from error
            yield Console(line=number, module=command["module"], arguments=arguments, screen=screen)


def _screen_lines(
    lines: Iterable[str], first: int, indent: int, fence_end: int | None
) -> Iterator[str]:
    """Yield the lines of the screen below a command, without their indentation.

    The screen ends with the fence or the indented block, or else at an empty line. It also ends at
    the next command.
    """
    for number, line in enumerate(lines, start=first):
        if fence_end is None:
            # An empty line ends a block that is not indented.
            is_outside = (indentation(line) < indent) if line.strip() else not indent
        else:
            is_outside = number >= fence_end
        if is_outside or _COMMAND.fullmatch(line):
            return
        yield line[indent:]


def console_session(console: Console, runner: SessionRunner, *, prompts: bool) -> DerivedSession:
    """Run the reference, and return the session of a suite that runs `console`.

    The expected screen includes prompts only if `prompts`. Raises `SpecError` if the reference
    behaves differently from the spec.
    """
    typed_lines, observation = _find_typed_lines(console, partial(_run, console, runner))
    step: dict[str, Any] = {"run": console.module}
    if console.arguments:
        step["argv"] = [*console.arguments]
    if typed_lines:
        step["stdin"] = _as_stdin(typed_lines)
    # The value is set below. The key is added here, so that it comes before `exits`.
    screen, step["stdout"] = console.screen, None
    match observation.outcome:
        case Died(verdict=verdict):
            raise _problem(console, *ending_problem(verdict))
        case Raised() as raised:
            screen, _, trace = console.screen.partition(_TRACEBACK)
            # Only the last line counts, because the stack contains paths of the author's files.
            exception_line = trace.strip().rpartition("\n")[2]
            if exception_line != exception_text(raised):
                shown = one_line(exception_line) or "no exception"
                raise _problem(
                    console,
                    f"the reference raises {exception_text(raised)} here, but the spec shows"
                    f" {shown}",
                )
            del step["stdout"]
            step["raises"] = exception_line
        case Returned(value=Atom(int() as code)) if code:
            step["exits"] = code
        case _:
            pass
    _check_screen(console, screen, screen_text(observation, typed_lines))
    if "stdout" in step:
        text = (
            screen_text(observation, typed_lines)
            if prompts
            else outputs_without_prompts(observation, typed_lines)[0]
        )
        step["stdout"] = "".join(f"{line}\n" for line in comparable_lines(text))
    draft = program_draft(console.module, console.line)
    pairs = ((draft, DerivedExpectation(step, tuple(_long_screen_doubts(console)))),)
    return DerivedSession(pairs, is_separate=True, uses=(console.module,))


def _long_screen_doubts(console: Console) -> Iterator[Doubt]:
    """Yield a doubt if the screen is so long that a small mistake costs many points."""
    count = len(comparable_lines(console.screen))
    if count > _LONG_SCREEN_LINES:
        yield Doubt(
            console.line,
            f"a run that prints {count} lines is one case: one wrong word costs all its points",
            "show several short runs, which share the points",
        )


def with_typed_lines(
    examples: Sequence[Example],
    runner: SessionRunner,
    modules: tuple[str, ...],
    problems: list[SpecError],
    *,
    prompts: bool,
) -> list[Example]:
    """Return the `examples` of one session, with typed lines added to those that read input.

    The expected screen includes prompts only if `prompts`. Examples that the reference contradicts
    are omitted, and their errors are appended to `problems`.
    """
    completed = list(examples)
    # Examples are completed one by one, because the input of one can depend on earlier ones.
    while True:
        items = [_item(example, index) for index, example in enumerate(completed)]
        run = runner.run(tuple(items), modules=modules)
        reading_indexes = (
            index for index, observation in enumerate(run.observations) if _reads_input(observation)
        )
        index = next(
            (index for index in reading_indexes if completed[index].input_text is None), None
        )
        if index is None:
            return completed

        # The default value keeps the items of this iteration, because `index` changes in the loop.
        def run_with_lines(
            lines: Sequence[str], earlier_items: Sequence[Item] = items[:index]
        ) -> Observation:
            example = replace(completed[len(earlier_items)], input_text=_as_stdin(lines))
            last_item = replace(_item(example, len(earlier_items)), displays=True)
            return runner.run((*earlier_items, last_item), modules=modules).observations[-1]

        try:
            completed[index] = _add_typed_lines(completed[index], run_with_lines, prompts=prompts)
        except SpecError as problem:
            problems.append(problem)
            del completed[index]


def _item(example: Example, index: int) -> Item:
    is_expression = example.expression is not None
    return Item(step_index=index, code=example.runnable_code, is_expression=is_expression)


def _reads_input(observation: Observation) -> bool:
    return (
        isinstance(observation.outcome, Raised) and observation.outcome.type_names[0] == "EOFError"
    )


def _add_typed_lines(
    example: Example, run: Callable[[Sequence[str]], Observation], *, prompts: bool
) -> Example:
    """Return `example` with its typed lines, and with its screen or exception.

    `run` runs the example with the given typed lines. Raises `SpecError` if the reference behaves
    differently from the spec.
    """
    console = Console(line=example.line, module="", arguments=(), screen="\n".join(example.want))
    typed_lines, observation = _find_typed_lines(console, run)
    if isinstance(observation.outcome, Raised):
        before, mark, trace = console.screen.partition(_TRACEBACK)
        if not mark:
            raise _problem(
                console,
                f"the reference raises {exception_text(observation.outcome)} here, but the spec"
                " shows no exception",
            )
        _check_screen(console, before, screen_text(observation, typed_lines))
        exception_line = trace.strip().rpartition("\n")[2]
        return replace(
            example, input_text=_as_stdin(typed_lines), exception=exception_line, want=()
        )
    _check_screen(console, console.screen, screen_text(observation, typed_lines))
    text = (
        screen_text(observation, typed_lines)
        if prompts
        else outputs_without_prompts(observation, typed_lines)[0]
    )
    screen = "".join(f"{line}\n" for line in comparable_lines(text))
    return replace(example, input_text=_as_stdin(typed_lines), screen=screen)


def _as_stdin(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _find_typed_lines(
    console: Console, run: Callable[[Sequence[str]], Observation]
) -> tuple[list[str], Observation]:
    """Return the typed lines of `console`, and the observation of the reference that reads them.

    `run` runs the reference with the given typed lines. Raises `SpecError` if the screen does not
    contain all the lines that the reference reads, or if there are too many of them.
    """
    typed_lines: list[str] = []
    while len(typed_lines) < _MAX_TYPED_LINES:
        observation = run(typed_lines)
        is_complete = comparable_lines(screen_text(observation, typed_lines)) == comparable_lines(
            console.screen
        )
        is_done = (
            is_complete and isinstance(observation.outcome, Returned) and not observation.waited
        )
        if is_done or len(observation.read_offsets) <= len(typed_lines):  # no further line is read
            return typed_lines, observation
        offset = observation.read_offsets[len(typed_lines)]
        before = screen_text(replace(observation, stdout=observation.stdout[:offset]), typed_lines)
        typed_lines.append(_next_line(console, before))
    raise _problem(
        console,
        f"the reference reads more than {_MAX_TYPED_LINES} lines of input",
        "check that it stops reading, or show a shorter session",
    )


def _next_line(console: Console, before: str) -> str:
    """Return the line that is typed on the screen right after the text `before`.

    Raises `SpecError` if the screen of `console` does not begin with `before`, or ends there.
    """
    screen = f"{console.screen}\n" if console.screen else ""
    if screen.startswith(before) and len(before) < len(screen):
        return screen[len(before) :].partition("\n")[0]
    if screen.startswith(f"{before.rstrip(' ')}\n") and not before.endswith("\n"):
        return ""  # an editor stripped the space after the prompt
    expected = comparable_lines(console.screen)
    if any(expected) and comparable_lines(before)[: len(expected)] != expected:
        _check_screen(console, console.screen, before)
    raise _problem(
        console,
        "the reference reads more lines than are typed here",
        "show the complete screen, with all typed lines, until the program ends",
    )


def _check_screen(console: Console, spec_text: str, printed: str) -> None:
    """Raise `SpecError` if the text `spec_text` in the spec differs from the `printed` text.

    If the spec has more lines, that is an error only if `spec_text` is the whole screen.
    """
    expected, actual = comparable_lines(spec_text), comparable_lines(printed)
    for number, line in enumerate(actual):
        if number >= len(expected) or expected[number] != line:
            in_spec = (
                f"{one_line(expected[number])!r} in" if number < len(expected) else "missing from"
            )
            finding = f"the reference prints {one_line(line)!r}"
            if number < len(expected) and looks_alike(expected[number], line):
                finding = f"{finding}, which looks the same but has different characters"
            raise _problem(
                console,
                f"line {number + 1} of the screen is {in_spec} the spec, but {finding}",
            )
    if len(actual) < len(expected) and spec_text == console.screen:
        printed_lines = count_noun(len(actual), "line")
        text = f"the reference prints {printed_lines}, but the spec shows {len(expected)}"
        raise _problem(console, text)


def _run(console: Console, runner: SessionRunner, typed_lines: Sequence[str]) -> Observation:
    """Run the program of `console` on the reference, with these `typed_lines`.

    Raises `SpecError` if the reference cannot be loaded.
    """
    code = f"{RUN}({console.module!r}, {[*console.arguments]!r}, {_as_stdin(typed_lines)!r})"
    item = Item(step_index=0, code=code, runs=True)
    run = runner.run((item,), modules=(console.module,))
    if not run.is_loaded:
        raise _problem(
            console,
            loading_failure(run.imported.observation),
            "fix the reference, and derive again",
        )
    return run.observations[0]


def _problem(console: Console, text: str, advice: str = ADVICE) -> SpecError:
    return SpecError(console.line, text, help=advice)
