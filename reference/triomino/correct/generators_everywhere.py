"""Generators and next() wherever possible; lists are made only where the text says list; centre positions go row by row."""
import numpy as np
from itertools import product


def divideVenceras(ind, resuelve, divide, combina, p):
    return resuelve(p) if ind(p) else combina(
        p, [divideVenceras(ind, resuelve, divide, combina, s) for s in divide(p)])


def casillas(n):
    yield from product(range(1, n + 1), repeat=2)


def tablero(n, p):
    return np.fromiter((-1 if c == tuple(p) else 0 for c in casillas(n)), dtype=int).reshape((n, n))


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    return pb[1].shape[1] == 2


def posicionHueco(t):
    return next((i, j) for i, j in casillas(len(t)) if t[i - 1, j - 1])


def cuadranteHueco(t):
    i, j = posicionHueco(t)
    x = len(t) // 2
    return next(k for k, (abajo, derecha) in enumerate([(False, False), (True, False), (False, True), (True, True)], 1)
                if (i > x) == abajo and (j > x) == derecha)


def centrales(t):
    x = len(t) // 2
    yield from product((x, x + 1), (x, x + 1))


def centralHueco(t):
    h = posicionHueco(t)
    return min(centrales(t), key=lambda c: abs(c[0] - h[0]) + abs(c[1] - h[1]))


def centralesSinHueco(t):
    h = centralHueco(t)
    return list(c for c in centrales(t) if c != h)


def actualiza(t, ps):
    valores = dict(ps)
    return np.fromiter(
        (valores.get((i + 1, j + 1), t[i, j]) for i in range(t.shape[0]) for j in range(t.shape[1])),
        dtype=t.dtype).reshape(t.shape)


def triominoCentral(pb):
    n, t = pb
    return actualiza(t, ((c, n) for c in centralesSinHueco(t)))


def resuelve(pb):
    return triominoCentral(pb)


def divide(pb):
    def cuartos(q, x):
        yield q[:x, x:]
        yield q[:x, :x]
        yield q[x:, :x]
        yield q[x:, x:]
    n, t = pb
    return list(enumerate(cuartos(triominoCentral(pb), len(t) // 2), n + 1))


def combina(_, ts):
    s1, s2, s3, s4 = ts
    return np.array([[*a, *b] for a, b in zip([*s2, *s3], [*s1, *s4])])


def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
