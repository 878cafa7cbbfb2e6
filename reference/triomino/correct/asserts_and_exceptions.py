"""Checks what is given with assert and an own AssertionError, isinstance(x, int), exceptions caught and raised again; otherwise the plain functions."""
import numpy as np


class ErrorTriomino(AssertionError):
    """Algo no cuadra en el rompecabezas"""


def comprueba(cond, msg):
    if not cond:
        raise ErrorTriomino(msg)


def divideVenceras(ind, resuelve, divide, combina, p):
    try:
        if ind(p):
            return resuelve(p)
        ts = []
        for s in divide(p):
            ts.append(divideVenceras(ind, resuelve, divide, combina, s))
        return combina(p, ts)
    except ErrorTriomino:
        raise


def es_potencia_de_dos(n):
    while n % 2 == 0 and n > 1:
        n = n // 2
    return n == 1


def tablero(n, p):
    assert isinstance(n, int), "n tiene que ser entero"
    assert n > 0, "n tiene que ser positivo"
    i, j = p
    comprueba(1 <= i <= n, "fila fuera del tablero")
    comprueba(1 <= j <= n, "columna fuera del tablero")
    t = np.zeros((n, n), dtype=int)
    try:
        t[i - 1, j - 1] = -1
    except IndexError as e:
        raise ErrorTriomino(str(e)) from e
    return t


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    numero, t = pb
    return t.shape[1] == 2


def posicionHueco(t):
    try:
        i, j = np.argwhere(t != 0)[0]
    except IndexError:
        raise ErrorTriomino("no hay hueco")
    return (int(i) + 1, int(j) + 1)


def cuadranteHueco(t):
    comprueba(t.shape[0] == t.shape[1], "el tablero no es cuadrado")
    i, j = posicionHueco(t)
    x = t.shape[0] // 2
    if i <= x and j <= x:
        return 1
    elif i > x and j <= x:
        return 2
    elif i <= x and j > x:
        return 3
    return 4


def centralHueco(t):
    x = t.shape[0] // 2
    centros = [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]
    return centros[cuadranteHueco(t) - 1]


def centralesSinHueco(t):
    x = t.shape[0] // 2
    centros = [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]
    q = cuadranteHueco(t)
    return centros[:q - 1] + centros[q:]


def actualiza(t, ps):
    for (i, j), v in ps:
        comprueba(1 <= i <= t.shape[0], "fila fuera del tablero")
        comprueba(1 <= j <= t.shape[1], "columna fuera del tablero")
        t[i - 1, j - 1] = v
    return t


def triominoCentral(pb):
    n, t = pb
    comprueba(n > 0, "el numero tiene que ser mayor que 0")
    return actualiza(t, [(c, n) for c in centralesSinHueco(t)])


def resuelve(pb):
    return triominoCentral(pb)


def divide(pb):
    n, t = pb
    m = t.shape[0]
    comprueba(es_potencia_de_dos(m), "el lado no es potencia de dos")
    q = triominoCentral(pb)
    x = m // 2
    return [(n + 1, q[0:x, x:m]), (n + 2, q[0:x, 0:x]), (n + 3, q[x:m, 0:x]), (n + 4, q[x:m, x:m])]


def combina(pb, ts):
    comprueba(len(ts) == 4, "Imposible")
    a, b, c, d = ts
    return np.block([[b, a], [c, d]])


def triomino(n, p):
    comprueba(es_potencia_de_dos(n) and n >= 2, "n tiene que ser potencia de dos")
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))


def test_triomino():
    assert triomino(4, (4, 4)).tolist() == [[3, 3, 2, 2], [3, 1, 1, 2], [4, 1, 5, 5], [4, 4, 5, -1]]
    assert triomino(4, (2, 3)).tolist() == [[3, 3, 2, 2], [3, 1, -1, 2], [4, 1, 1, 5], [4, 4, 5, 5]]
    print("Verificado")
