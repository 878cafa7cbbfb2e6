"""El esquema de divide y vencerás."""

from collections.abc import Callable
from typing import TypeVar

Problema = TypeVar("Problema")
Solucion = TypeVar("Solucion")


def divideVenceras(
    ind: Callable[[Problema], bool],
    resuelve: Callable[[Problema], Solucion],
    divide: Callable[[Problema], list[Problema]],
    combina: Callable[[Problema, list[Solucion]], Solucion],
    pb: Problema,
) -> Solucion:
    """Devuelve la solución del problema pb mediante divide y vencerás.

    Los otros argumentos dicen cómo se hace:

    - `ind(pb)` se verifica si el problema pb es indivisible
    - `resuelve(pb)` es la solución del problema indivisible pb
    - `divide(pb)` es la lista de los subproblemas de pb
    - `combina(pb, ss)` es la combinación de las soluciones ss de los subproblemas de pb
    """
    if ind(pb):
        return resuelve(pb)
    soluciones = [divideVenceras(ind, resuelve, divide, combina, sp) for sp in divide(pb)]
    return combina(pb, soluciones)
