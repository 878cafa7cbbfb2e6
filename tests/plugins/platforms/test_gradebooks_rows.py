"""Whose row of a gradebook is whose: nobody gets the mark of somebody else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from worksheets import BOTH, MARKS, WORKSHEETS, ZOE, filled, mark

from grader.errors import UsageError
from grader.intake.people import Person
from grader.intake.roster import Key
from grader.plugins.platforms.gradebooks.filling import FillOptions, fill


def people(*rows: str) -> bytes:
    """Return a worksheet with these rows."""
    return "\n".join(["ID,Username,Email,Name,Mark", *rows, ""]).encode()


def test_identifier_need_not_be_that_of_moodle() -> None:
    """Of `Participant 12` it is the number, of anything else the whole."""
    zoe = mark(Person(name="Zoë De Smet", id="r0123"), 3.0)
    assert 1 == filled(b"Identifier,Mark\nR0123,\n", zoe).written
    with pytest.raises(UsageError, match="no student in the run"):
        filled(b"Identifier,Mark\nx0123,\n", mark(Person(id="0123"), 3.0))


def test_participant_may_stand_without_a_blank() -> None:
    """As Moodle in Dutch has it."""
    zoe = mark(Person(id="73011"), 3.0)
    assert 1 == filled(b"Identificatie,Mark\nDeelnemer73011,\n", zoe).written


def test_column_of_ids_may_be_called_anything_in_a_worksheet_of_ones_own() -> None:
    """It is known by what stands in it."""
    some = [mark(Person(user=f"r{number}"), 1.0, student=f"r{number}") for number in (1, 2, 3)]
    sheet = b"Nr;Naam;Voornaam;r-nummer;Mark\n1;Aerts;An;R1;\n2;Maes;Bo; r2 ;\n"
    done = filled(sheet, *some)
    assert [1, 2] == [match.row for match in done.matches.found]
    assert ["r3"] == done.matches.without_row


def test_name_beside_a_first_name_is_that_of_the_family() -> None:
    """So it is in many a worksheet of one's own."""
    an = mark(Person(name="An De Maes", id="12"), 1.0)
    assert 1 == filled(b"Naam;Voornaam;Mark\nDe Maes;An;\nDe Maes;Bo;\n", an).written


def test_key_is_compared_as_platforms_do() -> None:
    """Capitals, blanks and a `#` before it do not matter."""
    done = filled(people("#1001,,,,", ",JPeeters ,,,"))
    assert (2, []) == (done.written, done.matches.without_row)


def test_id_without_its_zeros_is_found_and_told() -> None:
    """A spreadsheet takes them away; an id that has them comes first."""
    zoe = Person(name="Zoë De Smet", id="0042")
    done = filled(people("42,,,Zoë De Smet,"), mark(zoe, 3.0))
    assert [True] == [match.is_loose for match in done.matches.found]
    done = filled(people("42,,,Zoë De Smet,", "0042,,,Zoë De Smet,"), mark(zoe, 3.0))
    assert [(2, False)] == [(match.row, match.is_loose) for match in done.matches.found]


def test_name_counts_where_nothing_better_is_there() -> None:
    """In any order and without accents; that it was a name is told."""
    done = filled(people(",,,Peeters Jan,", ',,,"DE SMET, Zoe",'))
    assert [(Key.NAME, 2), (Key.NAME, 1)] == [(m.by, m.row) for m in done.matches.found]


def test_name_does_not_count_where_ids_do() -> None:
    """Whose id is not there is not there, though somebody has her name."""
    done = filled(people("7,,,Zoë De Smet,", "1002,,,Jan Peeters,"))
    assert (["Zoë De Smet"], ["Zoë De Smet"]) == (
        done.matches.without_row,
        done.matches.without_mark,
    )


@pytest.mark.parametrize(
    ("rows", "doubt"),
    [
        (("1001,,,Zoë De Smet,", ",zdesmet,,Zoë De Smet,"), "Zoë De Smet: rows 2, 3 all match"),
        (("1001,,,Zoë De Smet,", "1001,,,Zoë De Smet,"), "Zoë De Smet: rows 2, 3 all match"),
        (
            ("1001,,,Mohamed Haddad,",),
            "Zoë De Smet: row 2 has the same id, but the name Mohamed Haddad",
        ),
        ((",,,Zoë De Smet,", ",,,De Smet Zoë,"), "Zoë De Smet: rows 2, 3 have this name"),
    ],
)
def test_doubt_refuses_all(rows: tuple[str, ...], doubt: str) -> None:
    """A wrong mark is worse than none; whoever is in doubt can be left out."""
    sheet = people(*rows, "1002,,,Jan Peeters,")
    if "1001" not in "".join(rows):
        sheet = people(*rows, ",,,Jan Peeters,")
    with pytest.raises(UsageError, match="are in doubt") as raised:
        filled(sheet)
    assert doubt in str(raised.value)
    done = filled(sheet, skips_doubtful=True)
    assert (1, [doubt]) == (done.written, done.matches.doubtful)


@pytest.mark.parametrize(
    ("name", "there", "is_hers"),
    [
        ("Bob Jones", "Mo Z", False),
        ("Li Wu", "Mo Z", False),
        ("Li Wu", "Zoë Peeters", False),
        ("Li Wu", "Wu Li", True),
        ("Li Wu", "liwu", True),
        ("Li Wu", "Li Wu Chen", True),
    ],
)
def test_short_names_tell_people_apart(name: str, there: str, is_hers: bool) -> None:
    """The gradebook of another course may give the same number to somebody of a short name."""
    hers = mark(Person(name=name, id="103"), 3.0)
    jan = mark(Person(name="Jan Peeters", id="1002"), 4.0)
    sheet = people(f"103,,,{there},", "1002,,,Jan Peeters,")
    done = filled(sheet, hers, jan, skips_doubtful=True)
    assert (1 + is_hers, not is_hers) == (done.written, bool(done.matches.doubtful))


def test_two_students_of_one_name_are_in_doubt() -> None:
    """On the side of the run too."""
    other = mark(replace(ZOE, user="other", id="9", email=None), 1.0)
    with pytest.raises(UsageError, match="somebody else in the run has this name too"):
        filled(people(",,,Zoë De Smet,"), MARKS[0], other)


def test_two_marks_for_one_row_are_in_doubt() -> None:
    """Such as those of a group and of a member of it."""
    with pytest.raises(UsageError, match="row 2 matches somebody else too"):
        filled(people("1001,,,,"), MARKS[0], mark(replace(ZOE, email=None), 3.0))


def test_one_key_can_decide_alone() -> None:
    """Where the others of a worksheet are known to be wrong."""
    sheet = people("1001,,,Mohamed Haddad,", ",zdesmet,,Zoë De Smet,")
    done = filled(sheet, MARKS[0], key=Key.USER)
    assert [2] == [match.row for match in done.matches.found]
    with pytest.raises(UsageError, match="no column for --match email"):
        filled(b"Username,Mark\nzdesmet,\n", key=Key.EMAIL)


def test_label_is_whatever_it_fits() -> None:
    """Who is known by the name of a folder alone may be called by id, user name, mail or name."""
    labels = ("1001", "jpeeters", "oa@uni.example", "haddad_mohamed")
    sheet = people("1001,,,A,", ",jpeeters,,B,", ",,oa@uni.example,C,", ",,,Mohamed Haddad,")
    done = filled(sheet, *(mark(None, 1.0, student=label) for label in labels))
    assert [1, 2, 3, 4] == [match.row for match in done.matches.found]


def test_person_of_whom_only_files_are_known_is_a_label() -> None:
    """A folder is named after anything: a name that was taken from it is no evidence."""
    people_ = [Person(name=each, handle=each) for each in ("1001", "JPeeters", "haddad mohamed")]
    sheet = people("1001,,,A B,", ",jpeeters,,C D,", ",,,Mohamed Haddad,")
    done = filled(sheet, *(mark(each, 1.0, student=each.name or "") for each in people_))
    assert [1, 2, 3] == [match.row for match in done.matches.found]


def test_handle_stands_for_a_name() -> None:
    """Canvas names files after students, without blanks; where ids are compared these decide."""
    zoe = mark(Person(handle="desmetzoe", id="5"), 1.0)
    assert [2] == [m.row for m in filled(people(",,,A,", ",,,Zoë De Smet,"), zoe).matches.found]
    assert [1] == [m.row for m in filled(people("5,,,A,", "6,,,Zoë De Smet,"), zoe).matches.found]


def test_address_may_be_what_one_logs_in_with() -> None:
    """On either side."""
    done = filled(people(",zoe.desmet@uni.example,,,"), MARKS[0])
    assert [Key.EMAIL] == [match.by for match in done.matches.found]
    by_mail = mark(Person(user="ZOE@uni.example"), 1.0)
    assert 1 == filled(people(",,zoe@uni.example,,"), by_mail).written


NAMES = st.sampled_from(
    ["An", "Zoë De Smet", "De Smet, Zoë", "Jan Peeters", "Peeters Jan", "Øy", ""]
)


def letters(name: str) -> list[str]:
    """Return the letters of a name, in whatever order its parts stand."""
    return sorted(filter(str.isalpha, name.casefold()))


@given(data=st.data(), names=st.lists(NAMES, min_size=1, max_size=5))
def test_nobody_gets_the_mark_of_somebody_else(data: st.DataObject, names: list[str]) -> None:
    """Whatever each side tells of a class, in whatever order, and whatever is left out."""

    def some(text: str) -> str:
        return text if data.draw(st.booleans()) else ""

    class_ = [
        Person(name=name, id=f"0{at}", user=f"u{at}", email=f"u{at}@x")
        for at, name in enumerate(names)
    ]
    order = data.draw(st.permutations(range(len(names))))
    rows = [
        ",".join(
            f'"{cell}"' for cell in (some(w.id or ""), some(w.user or ""), some(w.email or ""))
        )
        + f',"{some(w.name or "")}",'
        for w in (class_[at] for at in order)
    ]
    marks = [
        mark(
            Person(name=some(w.name or ""), id=some(w.id or ""), user=some(w.user or "")),
            float(at),
            student=f"s{at}",
        )
        for at, w in enumerate(class_)
        if data.draw(st.booleans())
    ]
    try:
        done = fill(people(*rows), marks, lambda _: "", FillOptions(skips_doubtful=True))
    except UsageError:
        return
    for match in done.matches.found:
        at = order[match.row - 1]
        names_alike = letters(names[int(match.mark.score)]) == letters(names[at])
        assert match.mark.score == at or (match.by is Key.NAME and names_alike)


def test_mark_of_a_group_is_that_of_each_member() -> None:
    """Where the worksheet has none of them, it may have the group."""
    group = mark(Person(name="Group 7", members=BOTH), 9.0)
    assert 2 == filled(people("1001,,,,", "1002,,,,"), group).written
    assert 1 == filled(people(",,,Group 7,"), group).written


def test_members_are_not_taken_for_their_group() -> None:
    """What the run calls the group says nothing of who is in it."""
    members = (ZOE, Person(name="Els Maes"))
    group = mark(Person(name="Group 7", members=members), 9.0, student="Group 7")
    done = filled(people("1001,,,,", "Group 7,,,Group 7,"), group)
    assert ([1], ["Els Maes"]) == ([m.row for m in done.matches.found], done.matches.without_row)


def test_unmatched_are_told_both_ways() -> None:
    """Who has handed in and is not in the worksheet, and who is there and has no mark."""
    done = filled(people("1001,,,Zoë De Smet,", "5,,,Øyvind Å,"))
    assert (["Jan Peeters"], ["Øyvind Å"]) == (done.matches.without_row, done.matches.without_mark)


def test_worksheet_of_another_class_is_refused() -> None:
    """Where nobody is found nothing was done, and that is no success."""
    with pytest.raises(UsageError, match="no student in the run is in the worksheet") as raised:
        filled(people("5,,,Øyvind Å,"))
    assert "the worksheet has Øyvind Å; the run has Zoë De Smet, Jan Peeters" in str(
        raised.value.help
    )


def test_dodona_knows_nobody_by_name() -> None:
    """Its first names stand under the header of last names."""
    sheet = WORKSHEETS["dodona"].before
    with pytest.raises(UsageError, match="no student in the run"):
        filled(sheet, mark(Person(name="Zoë De Smet"), 1.0))
