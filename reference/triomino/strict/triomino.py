# Sigue donde acaba triomino.py: las llamadas que el texto promete. El número de filas es una potencia
# de 2 mayor que 1, y en un tablero hay una sola casilla que no es 0: un -1 en cualquier sitio, o en
# una esquina el número de un triominó que se colocó antes.


class OutsideText(BaseException):
    """Una llamada de la que el texto no dice nada."""


def prometido(es_asi, que):
    """Interrumpe la escena si algo no es así."""
    if not es_asi:
        raise OutsideText(que)


def es_entero(valor):
    """Indica si un valor es un número entero, de Python o de numpy."""
    return isinstance(valor, int | np.integer) and not isinstance(valor, bool)


def matriz_prometida(t):
    prometido(isinstance(t, np.ndarray) and t.ndim == 2, f"{t!r} no es una matriz")
    prometido(t.dtype.kind == "i" and t.shape[0] == t.shape[1], f"no es un tablero de enteros: {t}")


def filas_prometidas(n, menor=2):
    prometido(es_entero(n) and n >= menor and n & (n - 1) == 0, f"{n!r} no es un número de filas")


def hueco_prometido(n, p):
    filas_prometidas(n)
    prometido(type(p) is tuple and [int, int] == [*map(type, p)], f"{p!r} no es una posición")
    prometido(1 <= min(p) and max(p) <= n, f"{p} está fuera del tablero de {n} filas")


def tablero_prometido(t, menor=2):
    matriz_prometida(t)
    filas_prometidas(len(t), menor)
    prometido(np.count_nonzero(t) == 1, f"no es un tablero con un hueco: {t}")
    ((i, j),) = np.argwhere(t).tolist()
    en_esquina = {i, j} <= {0, len(t) - 1}
    prometido(t[i, j] == HUECO or (t[i, j] > 0 and en_esquina), f"un hueco con {t[i, j]} en {i, j}")


def problema_prometido(p, menor=2):
    prometido(type(p) is tuple and len(p) == 2, f"{p!r} no es un problema")
    tablero_prometido(p[1], menor)
    prometido(es_entero(p[0]) and p[0] > max(0, p[1].max()), f"{p[0]!r} no es el siguiente número")


def cambios_prometidos(t, ps):
    matriz_prometida(t)
    prometido(type(ps) is list, f"{ps!r} no es una lista")
    for p, valor in ps:
        prometido(type(p) is tuple and 1 <= min(p) and max(p) <= len(t), f"{p!r} no es una posición")
        prometido(es_entero(valor), f"{valor!r} no es un entero")
    prometido(len({p for p, _ in ps}) == len(ps), f"dos cambios de una casilla en {ps}")


def soluciones_prometidas(p, ts):
    problema_prometido(p, 4)
    prometido(type(ts) is list and len(ts) == 4, "no son cuatro soluciones")
    for t in ts:
        matriz_prometida(t)
        prometido(2 * len(t) == len(p[1]), f"una solución de {len(t)} filas")
        prometido((t != SIN_RELLENAR).all(), f"no es una solución: {t}")


def resoluble_prometido(p):
    problema_prometido(p)
    prometido(len(p[1]) == 2, "no es un problema indivisible")


def divisible_prometido(p):
    problema_prometido(p, 4)


_LLAMADAS = []


def con_promesa(funcion, promesa):
    """Devuelve la función que comprueba antes la promesa, si no la llama otra de estas."""

    def comprobada(*argumentos):
        if not _LLAMADAS:
            promesa(*argumentos)
        _LLAMADAS.append(funcion)
        try:
            return funcion(*argumentos)
        finally:
            _LLAMADAS.pop()

    return comprobada


for _promesa, _nombres in {
    hueco_prometido: "triomino tablero pbInicial",
    tablero_prometido: "posicionHueco cuadranteHueco centralHueco centralesSinHueco",
    problema_prometido: "ind triominoCentral",
    cambios_prometidos: "actualiza",
    resoluble_prometido: "resuelve",
    divisible_prometido: "divide",
    soluciones_prometidas: "combina",
}.items():
    for _nombre in _nombres.split():
        globals()[_nombre] = con_promesa(globals()[_nombre], _promesa)
