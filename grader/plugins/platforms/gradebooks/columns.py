"""What the columns of gradebooks that hold no student are called, in three languages."""

from __future__ import annotations

from typing import Final

MARKS: Final = frozenset(
    (
        *("grade", "mark", "score", "points", "result", "final grade", "total", "total score"),
        *("cijfer", "punt", "punten", "score", "resultaat", "beoordeling", "totaal", "quotering"),
        *("nota", "calificación", "puntos", "puntuación", "resultado", "nota final"),
    )
)
"""Headers, in small letters, of a mark in a worksheet of one's own."""
FEEDBACK: Final = frozenset(
    (
        *("feedback", "comment", "comments", "remark", "remarks"),
        *("commentaar", "opmerking", "opmerkingen", "toelichting"),
        *("comentario", "comentarios", "retroalimentación", "observaciones"),
    )
)
"""Headers, in small letters, of what is said about a mark."""
MAXIMA: Final = frozenset(
    (
        *("max", "maximum", "max score", "max points", "maximum grade", "out of", "total max"),
        *("maximum score", "maximumscore", "maximaal cijfer", "op"),
        *("máximo", "calificación máxima", "puntuación máxima", "sobre"),
    )
)
"""Headers, in small letters, of what a mark is out of."""
