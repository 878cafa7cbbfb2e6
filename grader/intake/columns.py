"""What the columns of tables hold of a student, in the languages that platforms write them in."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum, unique
from typing import Final

from grader.intake.names import squeezed


@unique
class Key(StrEnum):
    """What a student is told apart by in a table."""

    ID = "id"
    USER = "user"
    EMAIL = "email"
    NAME = "name"


@unique
class Part(StrEnum):
    """What a column holds of a student."""

    ID = "id"
    PARTICIPANT = "participant"
    """An id, perhaps behind a word: `Participant 12`."""
    USER = "user"
    EMAIL = "email"
    NAME = "name"
    FIRST = "first"
    LAST = "last"

    @property
    def key(self) -> Key:
        """What it tells a student apart by."""
        match self:
            case Part.ID | Part.PARTICIPANT:
                return Key.ID
            case Part.USER:
                return Key.USER
            case Part.EMAIL:
                return Key.EMAIL
            case _:
                return Key.NAME


_HEADERS: Final = {
    Part.PARTICIPANT: "identifier identificatie identificador identifiant",
    Part.ID: "id sisuserid orgdefinedid sid userid idnumber studentid studentnumber studentno"
    " githubid idnummer studentnummer stamnummer rolnummer leerlingnummer numeroid numerodeid"
    " identificadordelestudiante idestudiante iddeestudiante iddelestudiante numerodeestudiante"
    " matricula numerodematricula legajo nodealumno dni nia niu matrikelnummer matrikelnr matrikel"
    " studierendennummer numerodidentification numeroetudiant numerodetudiant idetudiant"
    " codeetudiant identifiantetudiant identifiantdeletudiant matricule",
    Part.USER: "username user login loginid sisloginid netid githubusername gebruikersnaam"
    " gebruiker naamgebruiker inlognaam loginnaam usuario nombredeusuario nombreusuario"
    " benutzername benutzer anmeldename nutzername kennung nomdutilisateur nomutilisateur"
    " utilisateur identifiantdeconnexion",
    Part.EMAIL: "email mail emailaddress emailadres mailadres correo correoelectronico"
    " direcciondecorreo direcciondecorreoelectronico direcciondeemail direccionemail emailadresse"
    " mailadresse courriel adressedecourriel adressecourriel adresseelectronique adresseemail"
    " adressemail",
    Part.NAME: "name names fullname student studentname displayname naam volledigenaam naamstudent"
    " studentnaam nombrecompleto nombreyapellidos apellidosynombre apellidosynombres estudiante"
    " alumno alumna vollstandigername nameundvorname studierende studierender nom nomcomplet"
    " nometprenom prenometnom etudiant etudiante",
    Part.FIRST: "firstname givenname forename voornaam nombre nombres nombredepila vorname"
    " vornamen prenom prenoms",
    Part.LAST: "lastname surname familyname achternaam familienaam apellido apellidos nachname"
    " familienname nomdefamille",
}
_PARTS: Final[Mapping[str, Part]] = {
    header: part for part, headers in _HEADERS.items() for header in headers.split()
}
_NUMBERED: Final = re.compile(r"([^\W\d_]+(?:/[^\W\d_]+)?)( ?)([0-9]+)")
ANONYMOUS: Final = frozenset(
    {"participant", "deelnemer", "participante", "teilnehmer", "teilnehmer/in", "teilnehmerin"}
    | {"partecipante"}
)
"""What a platform calls everybody who is not to be known."""


def part_of(header: str) -> Part | None:
    """Return what the column with this `header` holds of a student, None where that is nothing."""
    return _PARTS.get(squeezed(header))


def numbered(text: str, part: Part) -> str:
    """Return the id behind the word in `Participant 12` or `Deelnemer12`, else the whole text."""
    found = _NUMBERED.fullmatch(text)
    if found is None or part.key is not Key.ID:
        return text
    is_word = found[1].casefold() in ANONYMOUS or (found[2] and part is Part.PARTICIPANT)
    return found[3] if is_word else text
