"""Console sessions of a spec: a command that starts a program, and the screen after it.

```console
$ python sum.py
First number: 3
Second number: 4
The sum is 7
```

Nothing in it marks what is typed. So the reference runs on the lines known so far; where it reads
one more, the rest of that line of the screen is the typed line.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from grader.judging.printing import exception_text, on_screen, without_prompts
from grader.plugins.authoring.code_blocks import code_blocks, indentation
from grader.plugins.authoring.deriving.document import DerivedSession
from grader.plugins.authoring.deriving.doubts import Doubt, SpecError
from grader.plugins.authoring.deriving.drafts import program_draft
from grader.plugins.authoring.deriving.examples import Example
from grader.plugins.authoring.deriving.reconciling import ADVICE, DerivedExpectation
from grader.plugins.authoring.solutions import unloadable
from grader.protocol import RUN
from grader.sandbox.observation import Died, Observation, Raised, Returned
from grader.sandbox.planning import Item
from grader.sandbox.sessions import SessionRunner
from grader.values.differences import comparable, looks_alike
from grader.values.foreign_text import one_line
from grader.values.tree import Atom

# The prompt is that of a POSIX shell, or the folder that Windows shows.
_COMMAND: Final = re.compile(
    r"\s*(?:\$|[A-Za-z]:\\[^>]*>) *(?:python3?|py) +(?P<module>\w+)\.py(?P<rest>(?: .*)?)"
)
_TRACEBACK: Final = "Traceback (most recent call last):"
_MAX_TYPED_LINES: Final = 200  # a reference may ask without end, and each line costs a run
_LONG_SCREEN_LINES: Final = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Console:
    """A console session of the spec."""

    line: int
    """The line of the command in the spec, 1-based."""
    module: str
    arguments: tuple[str, ...]
    screen: str
    """All that is printed and typed until the program ends."""


def find_consoles(text: str, modules: Collection[str]) -> Iterator[Console]:
    """Yield the console sessions in the spec `text` that run one of `modules` and show output."""
    lines = text.splitlines()
    fenced = {
        number: block.code.after
        for block in code_blocks(lines)
        for number in range(block.code.first, block.code.after)
    }
    for number, line in enumerate(lines, start=1):
        found = _COMMAND.fullmatch(line)
        # Other commands, such as `$ pip install`, are not examples.
        if found is None or found["module"] not in modules:
            continue
        shown = list(_shown(lines[number:], number + 1, indentation(line), fenced.get(number)))
        if any(shown):
            screen = "\n".join(shown)
            arguments = tuple(shlex.split(found["rest"]))
            yield Console(line=number, module=found["module"], arguments=arguments, screen=screen)


def _shown(lines: Iterable[str], first: int, indent: int, fence_end: int | None) -> Iterator[str]:
    """Yield the screen below a command: up to the end of its fence, or of its indented block."""
    for number, line in enumerate(lines, start=first):
        if fence_end is None:
            # an empty line ends what is not indented
            is_outside = (indentation(line) < indent) if line.strip() else not indent
        else:
            is_outside = number >= fence_end
        if is_outside or _COMMAND.fullmatch(line):
            return
        yield line[indent:]


def console_session(console: Console, runner: SessionRunner, *, prompts: bool) -> DerivedSession:
    """Return the session that runs `console`, without `prompts` if they do not count.

    Raises `SpecError` if the reference does something else.
    """
    typed, seen = _typed(console, partial(_run, console, runner))
    step: dict[str, Any] = {"run": console.module}
    if console.arguments:
        step["argv"] = [*console.arguments]
    if typed:
        step["stdin"] = _input(typed)
    # Set later, but here it has its place before `exits`.
    screen, step["stdout"] = console.screen, None
    match seen.outcome:
        case Died(verdict=verdict):
            raise _problem(console, f"the reference dies in this session: {verdict.value}")
        case Raised() as raised:
            screen, _, trace = console.screen.partition(_TRACEBACK)
            shown = trace.strip().rpartition("\n")[2]  # the stack names the author's files
            if shown != exception_text(raised):
                raise _problem(console, f"the reference raises {exception_text(raised)} here")
            del step["stdout"]
            step["raises"] = shown
        case Returned(value=Atom(int() as code)) if code:
            step["exits"] = code
        case _:
            pass
    _check_screen(console, screen, on_screen(seen, typed))
    if "stdout" in step:
        text = on_screen(seen, typed) if prompts else without_prompts(seen, typed)[0]
        step["stdout"] = "".join(f"{line}\n" for line in comparable(text))
    draft = program_draft(console.module, console.line)
    pairs = ((draft, DerivedExpectation(step, tuple(_long(console)))),)
    return DerivedSession(pairs, is_own=True, uses=(console.module,))


def _long(console: Console) -> Iterator[Doubt]:
    """Yield a doubt if the screen is so long that a small mistake costs much."""
    count = len(comparable(console.screen))
    if count > _LONG_SCREEN_LINES:
        yield Doubt(
            console.line,
            f"one run of {count} lines is one case: a wrong word costs all its points",
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
    """Return `examples` of a session; those that read input have their typed lines.

    The screen includes the `prompts` if they count. Wrong examples are left out, and reported in
    `problems`.
    """
    found = list(examples)
    # One at a time: the input of an example may depend on those before it.
    while True:
        items = [_item(example, index) for index, example in enumerate(found)]
        run = runner.run(tuple(items), modules=modules)
        asking = (index for index, seen in enumerate(run.observations) if _asks(seen))
        index = next((index for index in asking if found[index].typed is None), None)
        if index is None:
            return found

        # The default binds the items now, as `index` changes in the loop.
        def tried(lines: Sequence[str], before: Sequence[Item] = items[:index]) -> Observation:
            example = replace(found[len(before)], typed=_input(lines))
            last = replace(_item(example, len(before)), displays=True)
            return runner.run((*before, last), modules=modules).observations[-1]

        try:
            found[index] = _with_typed(found[index], tried, prompts=prompts)
        except SpecError as problem:
            problems.append(problem)
            del found[index]


def _item(example: Example, index: int) -> Item:
    is_expression = example.expression is not None
    return Item(step_index=index, code=example.sent, is_expression=is_expression)


def _asks(seen: Observation) -> bool:
    return isinstance(seen.outcome, Raised) and seen.outcome.type_names[0] == "EOFError"


def _with_typed(
    example: Example, tried: Callable[[Sequence[str]], Observation], *, prompts: bool
) -> Example:
    """Return `example` with its typed lines; `tried` runs it on given lines."""
    console = Console(line=example.line, module="", arguments=(), screen="\n".join(example.want))
    typed, seen = _typed(console, tried)
    if isinstance(seen.outcome, Raised):
        before, mark, trace = console.screen.partition(_TRACEBACK)
        if not mark:
            raise _problem(console, f"the reference raises {exception_text(seen.outcome)} here")
        _check_screen(console, before, on_screen(seen, typed))
        shown = trace.strip().rpartition("\n")[2]
        return replace(example, typed=_input(typed), exception=shown, want=())
    _check_screen(console, console.screen, on_screen(seen, typed))
    text = on_screen(seen, typed) if prompts else without_prompts(seen, typed)[0]
    screen = "".join(f"{line}\n" for line in comparable(text))
    return replace(example, typed=_input(typed), screen=screen)


def _input(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _typed(
    console: Console, run: Callable[[Sequence[str]], Observation]
) -> tuple[list[str], Observation]:
    """Return the typed lines, and the observation of the reference on them; `run` runs it."""
    typed: list[str] = []
    while len(typed) < _MAX_TYPED_LINES:
        seen = run(typed)
        is_all = comparable(on_screen(seen, typed)) == comparable(console.screen)
        is_done = is_all and isinstance(seen.outcome, Returned) and not seen.waited
        if is_done or len(seen.asked) <= len(typed):  # it asked for no further line
            return typed, seen
        place = seen.asked[len(typed)]
        before = on_screen(replace(seen, stdout=seen.stdout[:place]), typed)
        typed.append(_next_line(console, before))
    raise _problem(console, f"the reference asks for more than {_MAX_TYPED_LINES} lines")


def _next_line(console: Console, before: str) -> str:
    """Return the line that is typed on the screen right after `before`."""
    screen = f"{console.screen}\n" if console.screen else ""
    if screen.startswith(before) and len(before) < len(screen):
        return screen[len(before) :].partition("\n")[0]
    if screen.startswith(f"{before.rstrip(' ')}\n") and not before.endswith("\n"):
        return ""  # an editor stripped the blank after the prompt
    wanted = comparable(console.screen)
    if any(wanted) and comparable(before)[: len(wanted)] != wanted:
        _check_screen(console, console.screen, before)
    raise _problem(
        console,
        "the reference reads more lines than are typed here",
        "show the whole screen, with all typed lines, down to the end of the program",
    )


def _check_screen(console: Console, shown: str, printed: str) -> None:
    """Raise `SpecError` if the text `shown` in the spec is not the text `printed`."""
    wanted, given = comparable(shown), comparable(printed)
    for number, line in enumerate(given):
        if number >= len(wanted) or wanted[number] != line:
            there = repr(one_line(wanted[number])) if number < len(wanted) else "nothing"
            printed = f"the reference prints {one_line(line)!r}"
            if number < len(wanted) and looks_alike(wanted[number], line):
                printed = f"{printed}, which looks alike but has other characters"
            raise _problem(
                console, f"line {number + 1} of the screen is {there} in the spec, and {printed}"
            )
    if len(given) < len(wanted) and shown == console.screen:
        text = f"the reference prints {len(given)} lines, the spec shows {len(wanted)}"
        raise _problem(console, text)


def _run(console: Console, runner: SessionRunner, typed: Sequence[str]) -> Observation:
    code = f"{RUN}({console.module!r}, {[*console.arguments]!r}, {_input(typed)!r})"
    item = Item(step_index=0, code=code, runs=True)
    run = runner.run((item,), modules=(console.module,))
    if not run.loaded:
        raise _problem(
            console, unloadable(run.imported.observation), "fix the reference, and derive again"
        )
    return run.observations[0]


def _problem(console: Console, text: str, advice: str = ADVICE) -> SpecError:
    return SpecError(console.line, text, help=advice)
