"""Gradebooks in more languages: a header as the platform writes it, and the rows of two students.

What `worksheets` has is in the first language of each platform. As there, `⟦-|12,5⟧` is a cell
before and after.
"""

from __future__ import annotations

from typing import Final

from worksheets import Given

GOOD: Final = "Good."
_MOODLE: Final = "Moodle grading worksheet"
_REPORT: Final = "Moodle grader report"
_CANVAS: Final = "Canvas gradebook"
_BRIGHTSPACE: Final = "Brightspace grades"
_BLACKBOARD: Final = "Blackboard grade centre"
_OWN: Final = "worksheet of your own"
_TEXTS: Final = {
    (_MOODLE, "nl"): """\
Identificatie,Volledige naam,Status,Cijfer,Maximaal cijfer,Laatst gewijzigd (beoordeling),\
Feedback tekstvak
Deelnemer1001,Zoë De Smet,Ingestuurd,⟦|"12,5"⟧,"20,00",-,⟦|Good.⟧
Deelnemer1002,Jan Peeters,Ingestuurd,⟦-|20⟧,"20,00",-,⟦|Good.⟧
""",
    (_MOODLE, "es"): """\
Identificador,Nombre completo,Estado,Calificación,Calificación máxima,\
Última modificación (calificación),Comentarios de retroalimentación
Participante1001,Zoë De Smet,Enviado,⟦|"12,5"⟧,"20,00",-,⟦|Good.⟧
Participante1002,Jan Peeters,Enviado,⟦-|20⟧,"20,00",-,⟦|Good.⟧
""",
    (_MOODLE, "de"): """\
ID,Vollständiger Name,E-Mail-Adresse,Status,Bewertung,Bestwertung,Bewertung kann geändert werden,\
Zuletzt geändert (Abgabe),Zuletzt geändert (Bewertung),Feedback als Kommentar
Teilnehmer/in1001,Zoë De Smet,zoe.desmet@uni.example,Abgegeben,⟦|"12,5"⟧,"20,00",Ja,-,-,⟦|Good.⟧
Teilnehmer/in1002,Jan Peeters,jan@uni.example,Abgegeben,⟦-|20⟧,"20,00",Ja,-,-,⟦|Good.⟧
Teilnehmer/in1003,Øyvind Å,o@uni.example,Keine Abgabe,,"20,00",Nein,-,-,
""",
    (_MOODLE, "fr"): """\
Identifiant,Nom complet,Adresse de courriel,Statut,Note,Note maximale,La note peut être modifiée,\
Dernière modification (travail remis),Dernière modification (note),Feedback par commentaires
Participant1001,Zoë De Smet,zoe.desmet@uni.example,Remis,⟦|"12,5"⟧,"20,00",Oui,-,-,⟦|Good.⟧
Participant1002,Jan Peeters,jan@uni.example,Remis,⟦-|20⟧,"20,00",Oui,-,-,⟦|Good.⟧
""",
    (_REPORT, "en"): """\
First name,Last name,ID number,Email address,Assignment: Akari (Real),\
Assignment: Akari (Feedback),Course total (Real),Last downloaded from this course
Zoë,De Smet,,zoe.desmet@uni.example,⟦-|12.5⟧,⟦|Good.⟧,3.00,1759500000
Jan,Peeters,,jan@uni.example,⟦-|20⟧,⟦|Good.⟧,4.50,1759500000
""",
    (_REPORT, "nl"): """\
Voornaam,Achternaam,Nummer (ID),E-mailadres,Opdracht: Akari (Reëel),Opdracht: Akari (Feedback)
Zoë,De Smet,,zoe.desmet@uni.example,⟦-|"12,5"⟧,⟦|Good.⟧
Jan,Peeters,,jan@uni.example,⟦-|20⟧,⟦|Good.⟧
""",
    (_REPORT, "es"): """\
Nombre,Apellido(s),Número de ID,Dirección de correo,Tarea: Akari (Real),\
Tarea: Akari (Retroalimentación)
Zoë,De Smet,,zoe.desmet@uni.example,⟦-|"12,5"⟧,⟦|Good.⟧
Jan,Peeters,,jan@uni.example,⟦-|20⟧,⟦|Good.⟧
""",
    (_REPORT, "de"): """\
Vorname,Nachname,ID-Nummer,E-Mail-Adresse,Aufgabe: Akari (Punkte),Aufgabe: Akari (Prozentsatz),\
Aufgabe: Akari (Feedback),Kurs gesamt (Punkte),Zuletzt aus diesem Kurs geladen
Zoë,De Smet,,zoe.desmet@uni.example,⟦-|"12,5"⟧,-,⟦|Good.⟧,"3,00",1759500000
Jan,Peeters,,jan@uni.example,⟦-|20⟧,-,⟦|Good.⟧,"4,50",1759500000
""",
    (_REPORT, "fr"): """\
Prénom,Nom de famille,Numéro d’identification,Adresse de courriel,\
Devoir\N{NO-BREAK SPACE}: Akari (Brut),\
Devoir\N{NO-BREAK SPACE}: Akari (Lettre),Devoir\N{NO-BREAK SPACE}: Akari (Feedback)
Zoë,De Smet,,zoe.desmet@uni.example,⟦-|"12,5"⟧,-,⟦|Good.⟧
Jan,Peeters,,jan@uni.example,⟦-|20⟧,-,⟦|Good.⟧
""",
    (_CANVAS, "nl"): """\
Student,ID,SIS User ID,SIS Login ID,Sectie,Akari (77)
"De Smet, Zoë",1001,0123,zdesmet,A,⟦|12.5⟧
"Peeters, Jan",1002,0124,jpeeters,A,⟦|20⟧
""",
    (_CANVAS, "es"): """\
Estudiante,ID,SIS User ID,SIS Login ID,Sección,Akari (77)
"De Smet, Zoë",1001,0123,zdesmet,A,⟦|12.5⟧
"Peeters, Jan",1002,0124,jpeeters,A,⟦|20⟧
""",
    (_CANVAS, "de"): """\
Student/in,ID,SIS-Login-ID,Abschnitt,Akari (77)
"De Smet, Zoë",1001,zdesmet,A,⟦|12.5⟧
"Peeters, Jan",1002,jpeeters,A,⟦|20⟧
""",
    (_CANVAS, "fr"): """\
Étudiant,ID,Section,Akari (77)
"De Smet, Zoë",1001,A,⟦|12.5⟧
"Peeters, Jan",1002,A,⟦|20⟧
""",
    (_BRIGHTSPACE, "nl"): """\
OrgDefinedId,Username,Akari Puntencijfer <Numeriek MaxPoints:20>,End-of-Line Indicator
#1001,#zdesmet,⟦|12.5⟧,#
#1002,#jpeeters,⟦|20⟧,#
""",
    (_BRIGHTSPACE, "es"): """\
OrgDefinedId,Username,Akari Calificación de puntos,End-of-Line Indicator
#1001,#zdesmet,⟦|12.5⟧,#
#1002,#jpeeters,⟦|20⟧,#
""",
    (_BRIGHTSPACE, "one that nobody knows"): """\
OrgDefinedId,Username,Akari Was auch immer <Numerisch MaxPoints:20 Weight:10>,End-of-Line Indicator
#1001,#zdesmet,⟦|12.5⟧,#
#1002,#jpeeters,⟦|20⟧,#
""",
    (_BLACKBOARD, "en"): """\
Last Name,First Name,Username,Akari [Total Pts: 20 Score] |901,Week [Total Pts: 0 Text] |902,\
Feedback to Learner
De Smet,Zoë,zdesmet,⟦|12.5⟧,,⟦|Good.⟧
Peeters,Jan,jpeeters,⟦In Progress|20⟧,,⟦|Good.⟧
""",
    (_BLACKBOARD, "nl"): """\
Achternaam,Voornaam,Gebruikersnaam,Akari [Totaal aantal punten: 20 Score] |901,Feedback aan student
De Smet,Zoë,zdesmet,⟦|"12,5"⟧,⟦|Good.⟧
Peeters,Jan,jpeeters,⟦Bezig|20⟧,⟦|Good.⟧
""",
    (_BLACKBOARD, "es"): """\
Apellidos,Nombre,Nombre de usuario,Akari [Puntos totales: 20 Puntuación] |901,\
Comentarios para el alumno
De Smet,Zoë,zdesmet,⟦|"12,5"⟧,⟦|Good.⟧
Peeters,Jan,jpeeters,⟦En curso|20⟧,⟦|Good.⟧
""",
    (_BLACKBOARD, "de"): """\
Nachname,Vorname,Benutzername,Letzter Zugriff,Gesamt [Gesamtpunkte: bis zu 40 Punktzahl] |900,\
Akari [Gesamtpunkte: 20 Punktzahl] |901,Feedback für Teilnehmer
De Smet,Zoë,zdesmet,,3,⟦|"12,5"⟧,⟦|Good.⟧
Peeters,Jan,jpeeters,,4,⟦Benotung erforderlich|20⟧,⟦|Good.⟧
""",
    (_BLACKBOARD, "fr"): """\
Nom,Prénom,Nom d’utilisateur,Dernier accès,Total [Nombre total de points : jusqu'à 40 Score] |900,\
Akari [Nombre total de points : 20 Score] |901,Semaine [Nombre total de points : 0 Texte] |902
De Smet,Zoë,zdesmet,,3,⟦|"12,5"⟧,
Peeters,Jan,jpeeters,,4,⟦En cours|20⟧,
""",
    (_OWN, "nl"): "Naam;Punten op 20;Opmerking\nPeeters, Jan;⟦|20⟧;⟦|Good.⟧\n"
    "De Smet, Zoë;⟦|12,5⟧;⟦|Good.⟧\n",
    (_OWN, "es"): "Apellidos;Nombre;Nota\nDe Smet;Zoë;⟦|12,5⟧\nPeeters;Jan;⟦|20⟧\n",
    (_OWN, "de"): "Matrikelnummer;Nachname;Vorname;Punkte von 20;Kommentar\n"
    "1001;De Smet;Zoë;⟦|12,5⟧;⟦|Good.⟧\n1002;Peeters;Jan;⟦|20⟧;⟦|Good.⟧\n",
    (_OWN, "fr"): "Nom;Prénom;Adresse e-mail;Note finale;Commentaires\n"
    "De Smet;Zoë;zoe.desmet@uni.example;⟦|12,5⟧;⟦|Good.⟧\n"
    "Peeters;Jan;jan@uni.example;⟦|20⟧;⟦|Good.⟧\n",
}
HEADERS: Final = {
    (dialect, language): Given(dialect=dialect, text=text, changed={})
    for (dialect, language), text in _TEXTS.items()
}
"""By dialect and language."""
