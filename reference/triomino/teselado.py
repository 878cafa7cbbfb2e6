"""Dice si un tablero está bien cubierto: todas las casillas menos el hueco, con triominós en L.

Cada casilla lleva el número de su triominó, y varios triominós pueden llevar el mismo, también si
se tocan: entonces las casillas de ese número valen si se pueden dividir en eles de una manera u
otra. Eso pide un límite. Un tablero lleno de unos también se puede dividir, y no muestra ningún
triominó: los números están para distinguirlos. Por eso pueden tocarse como mucho `TRIOMINOS_JUNTOS`
del mismo número. El divide y vencerás que numera cada triominó según su nivel y su cuadrante, cuyos
números son los que más se repiten, llega a cuatro en un tablero de 32 por 32, y no pasa de ahí en
los más grandes. El límite hace también que la búsqueda sea corta, sea cual sea la respuesta.
Cuántas veces se usa un número en el resto del tablero no importa: tres números bastan para
distinguir todos los triominós.

Un 3.0 dice qué triominó cubre una casilla tan bien como un 3. Que los números sean enteros, como
pide el texto, lo dice `son_enteros`: quien se olvida del tipo lo paga una vez.

Lo usa la corrección (`accepts` en los casos); los estudiantes no lo reciben.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

Casilla = tuple[int, int]
"""Fila y columna, desde 1."""

TRIOMINOS_JUNTOS = 4
"""Triominós del mismo número que pueden tocarse."""
HUECO = -1
_CASILLAS = 3
_CASILLAS_NOMBRADAS = 6
"""De las casillas de las que trata una frase, tantas se nombran."""
_NUMEROS_NOMBRADOS = 3
"""De los números cuyas casillas no forman triominós, de tantos se dice por qué."""


def cubre(respuesta: Any, filas: int, hueco: Casilla, columnas: int | None = None) -> bool | str:
    """Devuelve True, o un texto que dice qué falla en la respuesta de un estudiante.

    La respuesta es un array de numpy o una lista de filas; el hueco es su fila y su columna,
    desde 1.
    """
    return "\n".join(_fallos(respuesta, filas, columnas or filas, hueco)) or True


def cubren(respuesta: Any, tableros: list[tuple[int, Casilla]]) -> bool | str:
    """Como `cubre`, de una lista de respuestas; de cada una se dan las filas y el hueco."""
    if type(respuesta) is not list or len(respuesta) != len(tableros):
        return f"Se espera una lista de {len(tableros)} tableros."
    for uno, (filas, hueco) in zip(respuesta, tableros, strict=True):
        fallo = cubre(uno, filas, hueco)
        if fallo is not True:
            return f"El tablero de {filas} filas con el hueco en {hueco}:\n{fallo}"
    return True


def mide(respuesta: Any, filas: int) -> bool | str:
    """Dice si la respuesta es un tablero con tantas filas y columnas, haya lo que haya en él."""
    return "\n".join(_fallos_de_la_forma(respuesta, (filas, filas))) or True


def deja_hueco(respuesta: Any, filas: int, hueco: Casilla) -> bool | str:
    """Dice si en un tablero hay un solo -1, y está en el hueco."""
    fallos = [*_fallos_de_la_forma(respuesta, (filas, filas))]
    if not fallos:
        tablero = _casillas(respuesta, filas, filas)
        fallos = [*_fallos_del_hueco(_huecos(tablero), hueco)]
    return "\n".join(fallos) or True


def son_enteros(respuesta: Any, filas: int) -> bool | str:
    """Dice si la respuesta es un tablero con tantas filas y columnas de números enteros."""
    fallos = [*_fallos_de_la_forma(respuesta, (filas, filas))]
    if not fallos:
        _, valores = _forma_y_valores(respuesta)
        fallos = [*_fallos_de_los_tipos(_por_casilla(valores, filas, filas))]
    return "\n".join(fallos) or True


def mismas_posiciones(respuesta: Any, posiciones: list[Casilla]) -> bool | str:
    """Dice si la respuesta es una lista de estas posiciones, en el orden que sea."""
    if type(respuesta) is not list:
        return f"Se espera una lista de posiciones, pero tu código da {_corto(respuesta)}."
    pares = [tuple(map(_sin_numpy, dada)) for dada in respuesta if type(dada) is tuple]
    enteros = [par for par in pares if all(type(valor) is int for valor in par)]
    if len(enteros) == len(respuesta) and sorted(enteros) == sorted(posiciones):
        return True
    return f"Se esperan las posiciones {_nombradas(posiciones)}, en el orden que sea."


def mismas_listas(respuesta: Any, listas: list[list[Casilla]]) -> bool | str:
    """Como `mismas_posiciones`, de una lista de respuestas que se dan a la vez."""
    if type(respuesta) is not list or len(respuesta) != len(listas):
        return f"Se espera una lista de {len(listas)} listas de posiciones."
    for lugar, (una, posiciones) in enumerate(zip(respuesta, listas, strict=True), start=1):
        fallo = mismas_posiciones(una, posiciones)
        if fallo is not True:
            return f"La respuesta {lugar} de {len(listas)}: {fallo}"
    return True


def _fallos(respuesta: Any, filas: int, columnas: int, hueco: Casilla) -> Iterator[str]:
    fallos = [*_fallos_de_la_forma(respuesta, (filas, columnas))]
    yield from fallos
    if not fallos:
        yield from _fallos_del_tablero(_casillas(respuesta, filas, columnas), hueco)


def _casillas(respuesta: Any, filas: int, columnas: int) -> dict[Casilla, Any]:
    """Los valores de las casillas de un tablero de esta forma."""
    _, valores = _forma_y_valores(respuesta)
    return _por_casilla([*map(_entero, valores)], filas, columnas)


def _por_casilla(valores: list[Any], filas: int, columnas: int) -> dict[Casilla, Any]:
    casillas = [(i, j) for i in range(1, filas + 1) for j in range(1, columnas + 1)]
    return dict(zip(casillas, valores, strict=True))


def _fallos_de_la_forma(respuesta: Any, esperada: tuple[int, int]) -> Iterator[str]:
    if respuesta is None:
        yield (
            "Tu código no devuelve nada (None) donde se espera un tablero."
            " ¿Hay un `return` en cada camino?"
        )
        return
    if not _es_array(respuesta) and type(respuesta) is not list:
        yield (
            "Se espera un tablero, un array de numpy o una lista de filas, pero tu código da un"
            f" valor de tipo {_tipo(respuesta)}."
        )
        return
    forma, _ = _forma_y_valores(respuesta)
    if forma is None:
        yield "Tu código da una lista cuyas filas no tienen todas la misma longitud."
    elif forma != esperada:
        filas, columnas = esperada
        dada = " x ".join(map(str, forma))
        yield (
            f"El tablero debería tener {filas} filas y {columnas} columnas, pero la forma del tuyo"
            f" es {dada}."
        )


def _es_array(valor: Any) -> bool:
    return type(valor).__name__ == "ndarray"


def _forma_y_valores(respuesta: Any) -> tuple[tuple[int, ...] | None, list[Any]]:
    """La forma de un array o de unas listas en listas, y los valores, fila a fila."""
    if _es_array(respuesta):
        return respuesta.shape, respuesta.ravel().tolist()
    return _aplanada(respuesta)


def _tipo(valor: object) -> str:
    """El tipo de un valor, con el prefijo de los que son de numpy."""
    tipo = type(valor)
    return f"np.{tipo.__name__}" if tipo.__module__ == "numpy" else tipo.__name__


def _aplanada(filas: list[Any]) -> tuple[tuple[int, ...] | None, list[Any]]:
    """La forma de unas listas en listas, None si no son todas igual de largas, y los valores."""
    forma: tuple[int, ...] = (len(filas),)
    valores = list(filas)
    while any(type(valor) is list for valor in valores):
        longitudes = {len(valor) if type(valor) is list else -1 for valor in valores}
        if len(longitudes) > 1:
            return None, []
        forma += (*longitudes,)
        valores = [dentro for valor in valores for dentro in valor]
    return forma, [_sin_numpy(valor) for valor in valores]


def _sin_numpy(valor: Any) -> Any:
    """Un número de numpy como el de Python que es."""
    tipo = type(valor)
    return valor.item() if tipo.__module__ == "numpy" and tipo.__name__ != "ndarray" else valor


def _entero(valor: Any) -> Any:
    """Un número con una parte decimal que es cero como el entero que dice."""
    return int(valor) if type(valor) is float and valor.is_integer() else valor


def _fallos_de_los_tipos(tablero: dict[Casilla, Any]) -> Iterator[str]:
    raras = [casilla for casilla, valor in tablero.items() if type(valor) is not int]
    if raras:
        yield (
            "Todas las casillas del tablero deben contener números enteros. No es así en (fila y"
            f" columna, desde 1): {_nombradas(raras)}."
            f" La primera contiene {_corto(tablero[raras[0]])}."
        )


def _fallos_del_tablero(tablero: dict[Casilla, Any], hueco: Casilla) -> Iterator[str]:
    fallos = [*_fallos_de_los_tipos(tablero)]
    if fallos:
        yield from fallos
        return
    yield from _fallos_del_hueco(_huecos(tablero), hueco)
    sin_cubrir = [c for c, numero in tablero.items() if numero <= 0 and numero != HUECO]
    if sin_cubrir:
        yield (
            "Ninguna pieza cubre estas casillas (fila y columna, desde 1):"
            f" {_nombradas(sin_cubrir)}"
        )
    yield from _fallos_de_las_piezas({c: numero for c, numero in tablero.items() if numero > 0})


def _huecos(tablero: dict[Casilla, Any]) -> list[Casilla]:
    return [c for c, numero in tablero.items() if type(numero) is int and numero == HUECO]


def _fallos_del_hueco(huecos: list[Casilla], hueco: Casilla) -> Iterator[str]:
    if not huecos:
        yield f"Falta el hueco: en la fila y la columna {hueco}, contando desde 1, debe haber -1."
    elif len(huecos) > 1:
        yield (
            f"Hay {len(huecos)} huecos (-1), en las filas y columnas {_nombradas(huecos)}; debería"
            f" haber uno, en {hueco}, contando desde 1."
        )
    elif huecos != [hueco]:
        yield (
            f"El hueco (-1) está en la fila y la columna {huecos[0]}; debería estar en {hueco},"
            " contando desde 1."
        )


def _fallos_de_las_piezas(cubierto: dict[Casilla, int]) -> Iterator[str]:
    fallos = 0
    for casillas in _regiones(cubierto):
        fallo = _fallo_de(casillas, _corto(cubierto[casillas[0]]))
        if fallo:
            yield f"{fallo} Fila y columna, desde 1: {_nombradas(casillas)}"
            fallos += 1
            if fallos == _NUMEROS_NOMBRADOS:
                return


def _fallo_de(casillas: list[Casilla], numero: str) -> str | None:
    """Qué falla en unas casillas que se tocan y tienen el mismo número; None si nada."""
    cuantas = len(casillas)
    if cuantas > TRIOMINOS_JUNTOS * _CASILLAS:
        return (
            f"{cuantas} casillas que se tocan tienen el número {numero}: demasiados números iguales"
            f" para distinguir las piezas. Como mucho pueden tocarse {TRIOMINOS_JUNTOS} piezas con"
            " el mismo número."
        )
    if cuantas == 1:
        return f"Una sola casilla tiene el número {numero}, y una pieza tiene tres casillas."
    if cuantas % _CASILLAS:
        return (
            f"{cuantas} casillas que se tocan tienen el número {numero}, y con ellas no se forman"
            " piezas de tres casillas."
        )
    if _se_divide(frozenset(casillas)):
        return None
    if cuantas == _CASILLAS:
        return (
            f"Las tres casillas con el número {numero} están en línea; una pieza tiene forma de L."
        )
    return (
        f"{cuantas} casillas que se tocan tienen el número {numero}, y no se pueden dividir en"
        " piezas en forma de L."
    )


def _regiones(tablero: dict[Casilla, int]) -> Iterator[list[Casilla]]:
    """Las casillas que tienen el mismo número y se tocan por los lados, ordenadas."""
    quedan = dict.fromkeys(tablero)
    while quedan:
        primera = next(iter(quedan))
        del quedan[primera]
        region, pendientes = [primera], [primera]
        while pendientes:
            i, j = pendientes.pop()
            for casilla in ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1)):
                if casilla in quedan and tablero[casilla] == tablero[primera]:
                    del quedan[casilla]
                    region.append(casilla)
                    pendientes.append(casilla)
        yield sorted(region)


def _se_divide(casillas: frozenset[Casilla]) -> bool:
    """Dice si unas casillas, pocas, se pueden dividir en eles."""
    if not casillas:
        return True
    return any(ele <= casillas and _se_divide(casillas - ele) for ele in _eles_desde(min(casillas)))


def _eles_desde(primera: Casilla) -> Iterator[frozenset[Casilla]]:
    """Las eles cuya primera casilla, fila a fila, es esta: cuadrados de dos por dos menos una."""
    i, j = primera
    for columna in (j - 1, j):
        cuadrado = [(i, columna), (i, columna + 1), (i + 1, columna), (i + 1, columna + 1)]
        for casillas in combinations(cuadrado, _CASILLAS):
            if casillas[0] == primera:
                yield frozenset(casillas)


def _nombradas(casillas: list[Casilla]) -> str:
    nombres = [str(casilla) for casilla in casillas]
    mas = len(nombres) - _CASILLAS_NOMBRADAS
    return ", ".join(nombres[:_CASILLAS_NOMBRADAS]) + (f", … (+{mas})" if mas > 0 else "")


def _corto(valor: object) -> str:
    """El valor como lo escribe Python, sin pasar de 40 caracteres."""
    texto = hex(valor) if type(valor) is int and valor.bit_length() > 10_000 else repr(valor)
    return texto if len(texto) <= 40 else f"{texto[:40]}…"
