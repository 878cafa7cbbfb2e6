"""Tables of a course, as platforms and teachers write them."""

from __future__ import annotations

from pathlib import Path

import pytest
from named_sources import who

from grader.errors import UsageError
from grader.intake.people import Person
from grader.intake.roster import read_roster


def people(path: Path, data: bytes | str) -> list[str]:
    """Return who is in the roster `data`."""
    path = path / "roster.csv"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return [who(line.person) for line in read_roster(path).lines]


_CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section\n"
    "    Points Possible,,,,\n"
    '"Maes, Ann",0123,x1,amaes,A\n"Student, Test",9,,,A\n'
)
_ANN = "Ann Maes, user=amaes, id=0123"


@pytest.mark.parametrize(
    "text",
    [
        "id,username,name\n0123,amaes,Ann Maes\n",
        "ID;Gebruikersnaam;Naam\n0123;amaes;Ann Maes\n",
        '"Last Name","First Name","Username","Student ID"\n"Maes","Ann","amaes","0123"\n',
        "Achternaam\tVoornaam\tGebruikersnaam\tStudentnummer\nMaes\tAnn\tamaes\t0123\n",
        "Apellidos,Nombre,Nombre de usuario,ID de estudiante\nMaes,Ann,amaes,0123\n",
        "Identifier,Full name,Username\nParticipant 0123,Ann Maes,amaes\n",
        "Identificatie,Volledige naam,Gebruikersnaam\nDeelnemer 0123,Ann Maes,amaes\n",
        "Identificador,Nombre completo,Usuario\nParticipante 0123,Ann Maes,amaes\n",
        _CANVAS,
        "OrgDefinedId,Username,Last Name,First Name,X\n#0123,amaes,Maes,Ann,#\n",
        "id,username,last_name,first_name,full_name\n0123,amaes,Ann,Maes,Ann Maes\n",
        "username,first_name,last_name,email,section,github_id\namaes,Ann,Maes,,A,0123\n",
        "identifier,github_username,github_id,name\nAnn Maes,amaes,0123,\n",
        "sep=;\nid;username;name\n0123;amaes;Ann Maes\n",
        "\n\nid,username,name,\n0123, amaes ,Ann Maes,\n,,,\n",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_headings_of_platforms_are_known(tmp_path: Path, text: str, encoding: str) -> None:
    """In three languages, with any delimiter, in any encoding."""
    assert [_ANN] == people(tmp_path, text.encode(encoding))


@pytest.mark.parametrize(
    "text",
    [
        "Stamnummer;Naam;Voornaam\nr1;De Maes;Ann\n",
        "sid,name,first name\nr1,Ann De Maes,Ann\n",
        'First Name,Last Name,SID,Role\nAnn,De Maes,r1,Student\nBo,Ba,,TA\nC,D,,"TA, Instructor"\n',
        "Naam;ID;Rol\nAnn De Maes;r1;\nProf X;r2;Lesgever\n",
    ],
)
def test_last_names_and_staff_are_known(tmp_path: Path, text: str) -> None:
    """A name beside a first name is the last one, and who teaches hands in nothing."""
    assert ["Ann De Maes, id=r1"] == people(tmp_path, text)


@pytest.mark.parametrize(
    ("handle", "line"),
    [
        ("inf1-yin-yang-an-na", "an-na"),
        ("inf1-yinyang-anna", "anna"),
        ("r0810003_yinyang", "r0810003"),
        ("week 1_r0810003_v2", "r0810003"),
        ("yinyang_7", None),
        ("yinyang-na", None),
    ],
)
def test_an_id_may_be_part_of_the_name_of_a_file(
    tmp_path: Path, handle: str, line: str | None
) -> None:
    """The longest end of it counts; a short number or word is no sign of anybody."""
    users = ("anna", "an-na", "na", "r0810003", "7")
    (tmp_path / "roster.csv").write_text("\n".join(("username", *users)))
    joined = read_roster(tmp_path / "roster.csv").match(Person(name=handle, handle=handle))
    assert line == (joined.line and joined.line.person.user)


def test_names_may_be_in_the_encoding_of_windows(tmp_path: Path) -> None:
    """As an older spreadsheet writes them."""
    assert ["José Núñez"] == people(tmp_path, "name\nJosé Núñez\n".encode("cp1252"))


@pytest.mark.parametrize("data", ["", "a,b\n1,2\n", b"\x00\x01\x02", "name\n" + "x" * 200_000])
def test_what_is_no_roster_is_refused(tmp_path: Path, data: bytes | str) -> None:
    """Headings that nobody knows, or a cell that never ends."""
    with pytest.raises(UsageError, match="is not a roster"):
        people(tmp_path, data)


def test_a_roster_that_is_not_there_is_told(tmp_path: Path) -> None:
    """It is a mistake in the command."""
    with pytest.raises(UsageError, match="cannot read the roster"):
        read_roster(tmp_path / "nowhere.csv")
