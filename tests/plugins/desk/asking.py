"""A desk that is asked as a browser asks it, without a network."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import httpx
from record_samples import case, group, record
from ruled_records import rule

from grader.judging.record import Record, SourceLine, SourceText
from grader.messages import message
from grader.plugins.desk.app import desk_app
from grader.plugins.desk.guarding import Pass
from grader.plugins.desk.rubric import RubricFile
from grader.plugins.desk.run_desk import RunDesk
from grader.store.store import Store
from grader.verdict import RuleVerdict, Status, Verdict

PORT: Final = 8123
ORIGIN: Final = f"http://127.0.0.1:{PORT}"
CODE: Final = "def f(x):\n    return x\n"


def handed_in(name: str, got: str = "2", text: str = CODE) -> Record:
    """Return the record of somebody who has a case wrong, and another that raises."""
    at = SourceLine(file="f.py", line=2, function="f", text="return x")
    wrong = case("f/2", Verdict.WRONG, code="f(2)", expected="3", got=got)
    raising = replace(case("f/3", Verdict.ERROR, code="f(3)", got="NameError: x"), source=at)
    given = record(group("f", case("f/1"), wrong, raising), id=name, student=name)
    return replace(given, sources=(SourceText(name="f.py", text=text),))


def for_review(name: str) -> Record:
    """Return the record of somebody on whose rule a person has to decide."""
    return replace(handed_in(name, got=name), rules=(rule("loops/f", RuleVerdict.REVIEW),))


def unrunnable(name: str) -> Record:
    """Return the record of somebody whose file cannot be run."""
    given = record(group("f", case("f/1", Verdict.SKIPPED)), id=name, student=name)
    said = message("ungradable.syntax", file="f.py", line=1, column=1, message="m", text="t")
    return replace(
        given,
        status=Status.UNGRADABLE,
        remarks=(said,),
        score=0.0,
        sources=(SourceText(name="f.py", text="def f(x)\n"),),
    )


class Renewed(list[tuple[str, str]]):
    """Notes who is to be written anew."""

    def renew(self, marked: Iterable[tuple[str, str]]) -> None:
        """Note whose pages are to be written."""
        self.extend(marked)


class Asking:
    """One browser at a desk; it was let in already."""

    def __init__(self, desk: RunDesk) -> None:
        """Sit down at `desk`."""
        self.desk: Final = desk
        self.lets_in: Final = Pass(port=PORT)
        self._app: Final = desk_app(desk, self.lets_in)
        self.cookies: dict[str, str] = {self.lets_in.cookie: self.lets_in.session}

    def ask(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send one request, and follow it nowhere."""

        async def sent() -> httpx.Response:
            transport = httpx.ASGITransport(app=self._app)
            async with httpx.AsyncClient(
                transport=transport, base_url=ORIGIN, cookies=self.cookies
            ) as client:
                return await client.request(method, path, **options)

        return asyncio.run(sent())

    def get(self, path: str, **options: Any) -> httpx.Response:
        """Read a page."""
        return self.ask("GET", path, **options)

    def post(self, path: str, form: Mapping[str, str], **headers: str) -> httpx.Response:
        """Send a form of the desk."""
        fields = {"word": self.lets_in.form_token, **form}
        return self.ask("POST", path, data=fields, headers={"origin": ORIGIN, **headers})

    def score(self, student: str) -> float:
        """Return what counts for `student` now."""
        return self.desk.row(("yinyang", student)).overview.score


@contextmanager
def asking(folder: Path, by: str = "prof", rubric: Path | None = None) -> Iterator[Asking]:
    """Hold a browser at a desk on the run in `folder`, whose pages nobody renews."""
    with Store.writing(folder) as store:
        items = None if rubric is None else RubricFile(rubric)
        yield Asking(RunDesk(store, by, Renewed(), items))
