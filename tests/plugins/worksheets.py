"""Gradebooks as the platforms give them, and what has to stand in them once they are filled.

The class is the same everywhere: Zoë has 12.5 of 20, Jan 20, and Øyvind, who has handed in nothing,
is in no run. Names have what breaks careless code: commas, quotes, accents, a formula.

In what follows `⟦-|12.5⟧` is a cell that is `-` before and `12.5` after, both with their quotes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from grader.intake.people import Person
from grader.plugins.platforms.gradebooks.filling import FillOptions, FillResult, fill
from grader.plugins.platforms.gradebooks.marks import Mark

ZOE: Final = Person(name="Zoë De Smet", user="zdesmet", id="1001", email="zoe.desmet@uni.example")
JAN: Final = Person(name="Jan Peeters", user="jpeeters", id="1002", email="jan@uni.example")
BOTH: Final = (ZOE, JAN)
SAID: Final = 'Your code passes 5 of the 8 cases. Begin with <f>, "g"; there.'


def mark(person: Person | None, score: float, max_score: float = 20.0, student: str = "x") -> Mark:
    """Return the mark of `person` for Akari."""
    return Mark(
        student=student,
        person=person,
        exercise="akari",
        title="Akari, the puzzle",
        score=score,
        max_score=max_score,
    )


MARKS: Final = (mark(ZOE, 12.5), mark(JAN, 20.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A worksheet before and after, and which cells change, by row and column from 0."""

    dialect: str
    text: str
    changed: Mapping[tuple[int, int], str]
    delimiter: str = ","
    encoding: str = "utf-8"
    wishes: FillOptions = field(default_factory=FillOptions)

    @property
    def before(self) -> bytes:
        """As the platform gives it."""
        return _CHANGE.sub(lambda found: found[1], self.text).encode(self.encoding)

    @property
    def after(self) -> bytes:
        """As the platform gets it."""
        return _CHANGE.sub(lambda found: found[2], self.text).encode(self.encoding)


_CHANGE: Final = re.compile("⟦(.*?)[|](.*?)⟧", re.DOTALL)
_QUOTED: Final = '"' + SAID.replace('"', '""') + '"'
_HTML: Final = SAID.replace("<", "&lt;").replace(">", "&gt;")
_QUOTED_HTML: Final = '"' + _HTML.replace('"', '""') + '"'


MOODLE: Final = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 1002","Jan Peeters",jan@uni.example,"Submitted for grading",⟦|20⟧,20.00,Yes,\
"Friday, 3 October 2025, 2:10 PM",-,⟦|HTML⟧
"Participant 1001","Zoë De Smet",zoe.desmet@uni.example,"Submitted for grading",⟦-|12.5⟧,20.00,Yes,\
"Friday, 3 October 2025, 2:11 PM",-,⟦""|HTML⟧
"Participant 1003","Øyvind Å",o@uni.example,"No submission",,20.00,Yes,-,-,
"""
MOODLE_NL: Final = """\
Identificatie,"Volledige naam",E-mailadres,Status,Cijfer,"Maximaal cijfer",\
"Het cijfer kan gewijzigd worden","Laatst gewijzigd (inzending)","Laatst gewijzigd (beoordeling)",\
Feedback
"Deelnemer 1001","Zoë De Smet",zoe.desmet@uni.example,Ingestuurd,⟦|"12,5"⟧,"20,00",Ja,-,-,⟦|HTML⟧
"Deelnemer 1002","Jan Peeters",jan@uni.example,Ingestuurd,⟦|20⟧,"20,00",Ja,-,-,⟦|HTML⟧
"Deelnemer 1003","=Øyvind ""O"" Å",o@uni.example,Ingestuurd,,"20,00",Ja,-,-,
"""
MOODLE_ES: Final = """\
Identificador,"Nombre completo","Dirección de correo",Estado,Calificación,"Calificación máxima",\
"La calificación puede ser cambiada","Última modificación (entrega)",\
"Última modificación (calificación)","Comentarios de retroalimentación"
"Participante 1001","Zoë De Smet",zoe.desmet@uni.example,Enviado,⟦|"12,5"⟧,,Sí,-,-,⟦|HTML⟧
"Participante 1002","Jan Peeters",jan@uni.example,Enviado,⟦|20⟧,,Sí,-,-,⟦|HTML⟧"""
MOODLE_REPORT: Final = """\
"First name",Surname,"ID number","Email address","Assignment: Akari (Real)",\
"Assignment: Akari (Feedback)","Quiz: Loops (Real)","Course total (Real)",\
"Last downloaded from this course"
Zoë,"De Smet",r0123,zoe.desmet@uni.example,⟦-|12.5⟧,⟦|SAID⟧,3.00,3.00,1759500000
Jan,Peeters,r0124,jan@uni.example,⟦-|20⟧,⟦|SAID⟧,4.50,4.50,1759500000
"""
BLACKBOARD: Final = (
    '"Last Name"\t"First Name"\t"Username"\t"Student ID"\t"Last Access"\t"Availability"'
    '\t"Total [Total Pts: up to 40 Score] |900"\t"Akari [Total Pts: 20 Score] |901"'
    '\t"Notes [Total Pts: 0 Text] |902"\r\n'
    '"De Smet"\t"Zoë"\t"zdesmet"\t"0123"\t"2025-10-03 10:00"\t"Yes"\t"3"\t"⟦|12.5⟧"\t""\r\n'
    '"Peeters"\t"Jan"\t"JPeeters"\t"0124"\t""\t"Yes"\t"4"\t"⟦Needs Grading|20⟧"\t""\r\n'
    '"Å"\t"Øyvind"\t"oa"\t"0125"\t""\t"Yes"\t""\t""\t"late, ""ill"""'
)
BLACKBOARD_NL: Final = """\
"Achternaam","Voornaam","Gebruikersnaam","Laatste toegang",\
"Akari [Totaal aantal punten: 20 Score] |901","Feedback aan student"
"De Smet","Zoë","zdesmet","","⟦|12,5⟧",⟦""|SAID⟧
"Peeters","Jan","jpeeters","","⟦|20⟧",⟦""|SAID⟧
"""
CANVAS: Final = """\
Student,ID,SIS User ID,SIS Login ID,Section,Akari (77),Loops (78),Current Score,Final Grade
    Points Possible,,,,,20.0,(read only),(read only),(read only)
"De Smet, Zoë",1001,0123,zdesmet,"A, B",⟦|12.5⟧,3.0,15.0,C
"Peeters, Jan",1002,0124,jpeeters,A,⟦|20⟧,4.5,22.5,A
"Student, Test",1003,,b7c1,A,,,,
"""
BRIGHTSPACE: Final = """\
OrgDefinedId,Username,Last Name,First Name,Email,\
Akari Points Grade <Numeric MaxPoints:20 Weight:10>,\
Calculated Final Grade Numerator,End-of-Line Indicator
#1001,#zdesmet,De Smet,Zoë,zoe.desmet@uni.example,⟦|12.5⟧,3,#
#1002,#jpeeters,Peeters,Jan,jan@uni.example,⟦|20⟧,4,#
"""
DODONA: Final = """\
"id","username","last_name","first_name","full_name","email","Total Score","Total Max",\
"Akari Score","Akari Max","Loops Score","Loops Max"
"1001","zdesmet","Zoë","De Smet","Zoë De Smet","zoe.desmet@uni.example","","40.0",\
"⟦|12.5⟧","20.0","","20"
"1002","jpeeters","Jan","Peeters","Jan Peeters","jan@uni.example","","40.0",\
"⟦|20⟧","20.0","","20"
"""
GRADESCOPE: Final = """\
First Name,Last Name,SID,Email,Sections,Akari,Akari - Max Points,Akari - Submission Time,\
Akari - Lateness (H:M:S),Total Lateness (H:M:S)
Zoë,De Smet,0123,zoe.desmet@uni.example,A,⟦|12.5⟧,20.0,,00:00:00,00:00:00
Jan,Peeters,0124,jan@uni.example,A,⟦|20⟧,20.0,,00:00:00,00:00:00
"""
OWN: Final = """\
Punten van het vak, 2025-2026;;;
;;;
Naam;Gebruikersnaam;Punten;Opmerking
De Smet, Zoë;zdesmet;⟦|12,5⟧;⟦|SAID⟧
;;;
Peeters, Jan;jpeeters⟦|;20;SAID⟧
"""
ANNOUNCED: Final = "sep=;\r\nUsername;Mark\r\nzdesmet;⟦|12,5⟧\r\njpeeters;⟦0,5|20⟧\r\n"


def _text(text: str) -> str:
    """Return a worksheet with what is said in the place of its name."""
    return text.replace("HTML⟧", f"{_QUOTED_HTML}⟧").replace("SAID⟧", f"{_QUOTED}⟧")


WORKSHEETS: Final = {
    "moodle": Given(
        dialect="Moodle grading worksheet",
        text=_text(MOODLE),
        changed={(1, 4): "20", (1, 9): _HTML, (2, 4): "12.5", (2, 9): _HTML},
    ),
    "moodle in Dutch": Given(
        dialect="Moodle grading worksheet",
        text=_text(MOODLE_NL),
        encoding="utf-8-sig",
        changed={(1, 4): "12,5", (1, 9): _HTML, (2, 4): "20", (2, 9): _HTML},
    ),
    "moodle in Spanish": Given(
        dialect="Moodle grading worksheet",
        text=_text(MOODLE_ES),
        changed={(1, 4): "12,5", (1, 9): _HTML, (2, 4): "20", (2, 9): _HTML},
    ),
    "moodle report": Given(
        dialect="Moodle grader report",
        text=_text(MOODLE_REPORT),
        changed={(1, 4): "12.5", (1, 5): SAID, (2, 4): "20", (2, 5): SAID},
    ),
    "blackboard": Given(
        dialect="Blackboard grade centre",
        text=_text(BLACKBOARD),
        delimiter="\t",
        encoding="utf-16",
        changed={(1, 7): "12.5", (2, 7): "20"},
    ),
    "blackboard without a byte order mark": Given(
        dialect="Blackboard grade centre",
        text=_text(BLACKBOARD),
        delimiter="\t",
        encoding="utf-16-be",
        changed={(1, 7): "12.5", (2, 7): "20"},
    ),
    "blackboard in Dutch": Given(
        dialect="Blackboard grade centre",
        text=_text(BLACKBOARD_NL),
        changed={(1, 4): "12,5", (1, 5): SAID, (2, 4): "20", (2, 5): SAID},
    ),
    "canvas": Given(
        dialect="Canvas gradebook",
        text=_text(CANVAS),
        changed={(2, 5): "12.5", (3, 5): "20"},
    ),
    "brightspace": Given(
        dialect="Brightspace grades",
        text=_text(BRIGHTSPACE).replace("\n", "\r\n"),
        changed={(1, 5): "12.5", (2, 5): "20"},
    ),
    "dodona": Given(
        dialect="Dodona evaluation",
        text=_text(DODONA),
        changed={(1, 8): "12.5", (2, 8): "20"},
    ),
    "gradescope": Given(
        dialect="Gradescope grades",
        text=_text(GRADESCOPE),
        changed={(1, 5): "12.5", (2, 5): "20"},
    ),
    "one's own": Given(
        dialect="worksheet of your own",
        text=_text(OWN),
        delimiter=";",
        encoding="cp1252",
        changed={(3, 2): "12,5", (3, 3): SAID, (5, 2): "20", (5, 3): SAID},
    ),
    "one's own, told its delimiter": Given(
        dialect="worksheet of your own",
        text=ANNOUNCED,
        delimiter=";",
        changed={(2, 1): "12,5", (3, 1): "20"},
        wishes=FillOptions(overwrite=True),
    ),
}


def filled(data: bytes, *marks: object, **wishes: object) -> FillResult:
    """Return `data` filled with the marks of the class, or with others."""
    return fill(data, marks or MARKS, lambda _: SAID, FillOptions(**wishes))  # type: ignore[arg-type]
