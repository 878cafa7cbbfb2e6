"""Downloads of Blackboard, Toledo, Ufora: names are read from the right, receipts are believed."""

from __future__ import annotations

import pytest
from named_sources import attempts, found, left_out, source

_STEM = "Yin Yang_u0123456_attempt_2025-10-07-21-15-02"
_RECEIPTS = {
    "en": """\
Name: Ann O'Brien-De Smet (u0123456)
Assignment: Yin Yang
Date Submitted: Tuesday, 7 October 2025 21:15:02 o'clock CEST
Current Grade: Not Yet Graded

Submission Field:
There is no student submission text data for this assignment.

Comments:
Name: Somebody Else (u9999999)

Files:
\tOriginal filename: yin yang.py
\tFilename: {stem}_yin_yang.py
""",
    "nl": """\
Naam: Ann O'Brien-De Smet (u0123456)
Opdracht: Yin Yang
Datum van inzending: dinsdag 7 oktober 2025 21:15:02 uur CEST
Huidig cijfer: Nog niet beoordeeld

Bestanden:
\tOorspronkelijke bestandsnaam: yin yang.py
\tBestandsnaam: {stem}_yin_yang.py
""",
    "es": """\
Nombre: Ann O'Brien-De Smet (u0123456)
Actividad: Yin Yang
Fecha de envío: martes 7 de octubre de 2025 21:15:02 CEST

Archivos:
\tNombre de archivo original: yin yang.py
\tNombre de archivo: {stem}_yin_yang.py
""",
}


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        pytest.param(
            ["Test_ann_attempt_2025-10-07-21-15-02_yinyang.py"],
            [("-, user=ann", "yinyang.py 2025-10-07 21:15")],
            id="one file",
        ),
        pytest.param(
            ["Week_3_yin_yang_r0712345_poging_2025-10-07-21-15-02_mijn_oplossing.py"],
            [("-, user=r0712345", "mijn_oplossing.py 2025-10-07 21:15")],
            id="an assignment and a file with underscores",
        ),
        pytest.param(
            ["Tarea_jgarcia_intento_2025-10-07-21-15-02/sub/yinyang.py"],
            [("-, user=jgarcia", "sub/yinyang.py 2025-10-07 21:15")],
            id="a folder for an attempt",
        ),
        pytest.param(
            [
                "gradebook/T_ann_attempt_2025-10-07-21-15-02_yinyang.py",
                "gradebook/T_ann_attempt_2025-10-08-09-00-00_yinyang.py",
                "gradebook/T_bob_attempt_2025-10-07-20-00-00_a.py",
                "gradebook/T_bob_attempt_2025-10-07-20-00-00_b.py",
            ],
            [
                ("-, user=ann", "yinyang.py 2025-10-07 21:15"),
                ("-, user=ann", "yinyang.py 2025-10-08 09:00"),
                ("-, user=bob", "a.py, b.py 2025-10-07 20:00"),
            ],
            id="two attempts, and two files, in a folder around all",
        ),
        pytest.param(
            ["T_ann_attempt_2025-10-07-21-15-02_T_bob_attempt_2025-01-01-00-00-00_yinyang.py"],
            [("-, user=ann", "T_bob_attempt_2025-01-01-00-00-00_yinyang.py 2025-10-07 21:15")],
            id="a file that was downloaded before it was handed in",
        ),
        pytest.param(
            ["T_ann_attempt_2025-10-07-21-15-02_work/yinyang.py"],
            [("-, user=ann", "yinyang.py 2025-10-07 21:15")],
            id="an archive",
        ),
        pytest.param(
            ["gradebook_A_Test_2025-10-13-10-00-00/T_ann_attempt_2025-10-07-21-15-02_a.py"],
            [("-, user=ann", "a.py 2025-10-07 21:15")],
            id="a folder around all that has a time too",
        ),
        pytest.param(
            ["T_ann_attempt_2025-13-47-21-15-02_yinyang.py"],
            [("-, user=ann", "yinyang.py")],
            id="a day that does not exist",
        ),
    ],
)
def test_names_tell_user_and_time(names: list[str], expected: list[tuple[str, str]]) -> None:
    """The user stands before the word for an attempt, the file behind the time."""
    recognition = found(source(*names))
    assert "blackboard" == recognition.layout
    assert expected == attempts(recognition)


@pytest.mark.parametrize(
    ("language", "word"), [("en", "attempt"), ("nl", "poging"), ("es", "intento")]
)
def test_receipts_tell_names_and_what_files_were_called(language: str, word: str) -> None:
    """The labels are in the language of the teacher; what a student wrote below tells no name."""
    stem = _STEM.replace("attempt", word)
    receipt = _RECEIPTS[language].format(stem=stem)
    recognition = found(source(f"{stem}_yin_yang.py", texts={f"{stem}.txt": receipt}))
    assert (
        f"2 of 2 names follow the naming scheme of Blackboard ({language})" == recognition.evidence
    )
    expected = ("Ann O'Brien-De Smet, user=u0123456", "yin yang.py 2025-10-07 21:15")
    assert [expected] == attempts(recognition)


def test_a_receipt_tells_a_user_name_with_an_underscore() -> None:
    """Names alone cannot: what is right of the last underscore would be half of it."""
    stem = "Test_j_doe_attempt_2025-10-07-21-15-02"
    given = source(f"{stem}_a.py", texts={f"{stem}.txt": "Name: J. Doe (j_doe)\n"})
    assert [("J. Doe, user=j_doe", "a.py 2025-10-07 21:15")] == attempts(found(given))


def test_a_group_has_a_name_and_no_user_name() -> None:
    """Its receipt has no user, and it does not log in."""
    stem = "Test_Groep 3_poging_2025-10-07-21-15-02"
    given = source(f"{stem}_a.py", texts={f"{stem}.txt": "Naam: Groep 3\n"})
    assert [("Groep 3", "a.py 2025-10-07 21:15")] == attempts(found(given))


def test_a_receipt_of_somebody_else_names_nobody() -> None:
    """The name of the file says whose it is: a user that is not in it is not believed."""
    stem = "Test_ann_attempt_2025-10-07-21-15-02"
    given = source(f"{stem}_a.py", texts={f"{stem}.txt": "Name: Bob (bob)\n"})
    assert [("-, user=ann", "a.py 2025-10-07 21:15")] == attempts(found(given))


@pytest.mark.parametrize(
    "original", ["../../../etc/passwd", "C:\\Users\\ann\\x.py", "..", "a\x1b.py"]
)
def test_a_receipt_leads_nowhere(original: str) -> None:
    """What a file was called is a name, never a path."""
    stem = "Test_ann_attempt_2025-10-07-21-15-02"
    text = f"Name: Ann (ann)\nOriginal filename: {original}\nFilename: {stem}_x.py\n"
    (attempt,) = found(source(f"{stem}_x.py", texts={f"{stem}.txt": text})).attempts
    assert set(attempt.leaves) <= {"passwd", "x.py"}


def test_only_a_receipt_is_an_attempt_without_files() -> None:
    """Who typed text, or handed in nothing, is still somebody who handed in."""
    stem = "Test_ann_attempt_2025-10-07-21-15-02"
    given = source(texts={f"{stem}.txt": "Name: Ann (ann)\n"})
    assert [("Ann, user=ann", "nothing 2025-10-07 21:15")] == attempts(found(given))


def test_what_has_another_name_is_left_out_with_a_reason() -> None:
    """A file that a teacher has put beside the others is nobody's work."""
    names = [f"T_u{number}_attempt_2025-10-07-21-15-02_a.py" for number in range(3)]
    recognition = found(source(*names, "model solution.py"))
    assert "3 of 4 names follow the naming scheme of Blackboard (en)" == recognition.evidence
    reason = "the name does not follow the naming scheme of Blackboard (en)"
    assert {"model solution.py": reason} == left_out(recognition)


@pytest.mark.parametrize(
    "date",
    [
        "Date Submitted: Monday, 12 October 2026 09:30:13 o'clock BST",
        "Date Submitted: Monday, October 12, 2026 9:30:13 AM BST",
        "Datum van indiening: maandag 12 oktober 2026 9.30.13 uur CEST",
        "Fecha de entrega: lunes 12 de octubre de 2026 9:30:13 CEST",
    ],
)
def test_the_receipt_tells_when_it_was_submitted(date: str) -> None:
    """The stamp in the names may be when the attempt was begun."""
    start = "T_ann_attempt_2026-10-12-08-48-13"
    text = f"Name: Ann (ann)\nAssignment: T\n{date}\n"
    recognition = found(source(f"{start}_yinyang.py", texts={f"{start}.txt": text}))
    assert [("Ann, user=ann", "yinyang.py 2026-10-12 09:30")] == attempts(recognition)


def test_the_zone_of_a_receipt_tells_what_came_last() -> None:
    """In the night in which summer time ends, ten past two comes after ten to three."""
    starts = ["T_ann_attempt_2026-10-25-02-50-00", "T_ann_attempt_2026-10-25-02-10-00"]
    dates = [f"25 October 2026 2:{time} o'clock" for time in ("50:00", "10:00")]
    texts = {
        f"{start}.txt": f"Name: Ann (ann)\nAssignment: T\nDate Submitted: Sunday, {date} {zone}\n"
        for start, date, zone in zip(starts, dates, ("CEST", "CET"), strict=True)
    }
    recognition = found(source(*(f"{start}_a.py" for start in starts), texts=texts))
    assert [
        ("Ann, user=ann", "a.py #1 2026-10-25 02:50"),
        ("Ann, user=ann", "a.py #2 2026-10-25 02:10"),
    ] == attempts(recognition)


def test_the_receipt_tells_where_an_assignment_ends() -> None:
    """It may be called like a file of another one, and so may what is handed in."""
    start = "T_ann_attempt_2024-01-01-00-00-00_v2_ann_attempt_2025-03-01-10-00-00"
    again = "Y_bob_attempt_2020-01-01-00-00-00_yinyang.py"
    texts = {f"{start}.txt": "Name: Ann Maes (ann)\n"}
    recognition = found(source(f"{start}_{again}", texts=texts))
    expected = ("Ann Maes, user=ann", f"{again} 2025-03-01 10:00")
    assert [expected] == attempts(recognition)
