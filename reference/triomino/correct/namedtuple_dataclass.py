"""A named tuple as problem, a dataclass that knows the geometry of a board, a shared base case over a table of the four 2x2 answers, lambdas."""
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np


class Problema(NamedTuple):
    numero: int
    tablero: np.ndarray


@dataclass(frozen=True)
class Geometria:
    lado: int
    fila: int
    columna: int

    @classmethod
    def de(cls, t):
        i, j = posicionHueco(t)
        return cls(t.shape[0], i, j)

    @property
    def mitad(self):
        return self.lado // 2

    @property
    def cuadrante(self):
        q = 1
        if self.fila > self.mitad:
            q += 1
        if self.columna > self.mitad:
            q += 2
        return q

    @property
    def centros(self):
        x = self.mitad
        return [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]


# 1 donde va el triomino
DOS = {
    (1, 1): np.array([[0, 1], [1, 1]]),
    (1, 2): np.array([[1, 0], [1, 1]]),
    (2, 1): np.array([[1, 1], [0, 1]]),
    (2, 2): np.array([[1, 1], [1, 0]]),
}


def divideVenceras(ind, resuelve, divide, combina, p):
    return (resuelve(p) if ind(p)
            else combina(p, [divideVenceras(ind, resuelve, divide, combina, q) for q in divide(p)]))


def tablero(n, p):
    t = np.zeros(shape=(n, n), dtype="int64")
    t[p[0] - 1][p[1] - 1] -= 1
    return t


def pbInicial(n, p):
    return Problema(1, tablero(n, p))


def ind(pb):
    (_, t) = pb
    return t.shape[1] == 2


def posicionHueco(t):
    f = int(np.flatnonzero(t.any(axis=1))[0])
    c = int(np.flatnonzero(t[f])[0])
    return (f + 1, c + 1)


def cuadranteHueco(t):
    return Geometria.de(t).cuadrante


def centralHueco(t):
    g = Geometria.de(t)
    return g.centros[g.cuadrante - 1]


def centralesSinHueco(t):
    g = Geometria.de(t)
    return [c for k, c in enumerate(g.centros, 1) if k != g.cuadrante]


def actualiza(t, ps):
    q = t.copy()
    for (i, j), v in ps:
        q[i - 1, j - 1] = v
    return q


def triominoCentral(pb):
    (n, t) = pb
    q = t.copy()
    x = t.shape[0] // 2
    centro = q[x - 1:x + 1, x - 1:x + 1]
    i, j = centralHueco(t)
    centro += n * DOS[(i - x + 1, j - x + 1)]
    return q


def resuelve(pb):
    (n, t) = pb
    return t + n * DOS[posicionHueco(t)]


def divide(pb):
    n = pb[0]
    q = triominoCentral(pb)
    m = len(q)
    x = m // 2
    arriba, abajo = slice(0, x), slice(x, m)
    izquierda, derecha = slice(0, x), slice(x, m)
    zonas = [(arriba, derecha), (arriba, izquierda), (abajo, izquierda), (abajo, derecha)]
    return [Problema(n + k + 1, q[zona]) for k, zona in enumerate(zonas)]


def combina(pb, ts):
    s1, s2, s3, s4 = ts
    x = s1.shape[0]
    res = np.empty((2 * x, 2 * x), dtype=s1.dtype)
    res[:x, :x], res[:x, x:], res[x:, :x], res[x:, x:] = s2, s1, s3, s4
    return res


def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
