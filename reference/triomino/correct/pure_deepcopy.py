"""Pure functions as in the Haskell text, with copy.deepcopy before anything is changed, first of two equal positions wins, divideVenceras imported if there is one."""
import copy

import numpy as np

try:
    from src.DivideVenceras import divideVenceras
except ImportError:
    def divideVenceras(ind, resuelve, divide, combina, p):
        if ind(p):
            return resuelve(p)
        return combina(p, [divideVenceras(ind, resuelve, divide, combina, s)
                           for s in divide(p)])


def tablero(n, p):
    return actualiza(np.zeros((n, n), dtype=np.int64), [(p, -1)])


def pbInicial(n, p):
    return 1, tablero(n, p)


def ind(pb):
    (_, t) = pb
    (_, columnas) = t.shape
    return columnas == 2


def posicionHueco(t):
    huecos = [(i + 1, j + 1)
              for i in range(t.shape[0])
              for j in range(t.shape[1])
              if t[i, j] != 0]
    return huecos[0]


def cuadranteHueco(t):
    (i, j) = posicionHueco(t)
    mitad = t.shape[0] // 2
    abajo = i > mitad
    derecha = j > mitad
    return 1 + (1 if abajo else 0) + (2 if derecha else 0)


def centralHueco(t):
    mitad = t.shape[0] // 2
    c = cuadranteHueco(t)
    fila = mitad + 1 if c in (2, 4) else mitad
    columna = mitad + 1 if c in (3, 4) else mitad
    return (fila, columna)


def centralesSinHueco(t):
    mitad = t.shape[0] // 2
    todas = [(mitad, mitad), (mitad + 1, mitad), (mitad, mitad + 1), (mitad + 1, mitad + 1)]
    return [c for c in todas if c != centralHueco(t)]


def actualiza(t, ps):
    nuevo = copy.deepcopy(t)
    for (i, j), x in reversed(list(ps)):
        nuevo[i - 1, j - 1] = x
    return nuevo


def triominoCentral(pb):
    (n, t) = pb
    return actualiza(t, [(c, n) for c in centralesSinHueco(t)])


resuelve = triominoCentral


def divide(pb):
    (n, _) = pb
    q = triominoCentral(pb)
    m = q.shape[0]
    x = m // 2
    trozos = [q[0:x, x:m], q[0:x, 0:x], q[x:m, 0:x], q[x:m, x:m]]
    return [(n + k, copy.deepcopy(trozo)) for k, trozo in enumerate(trozos, start=1)]


def combina(_pb, ts):
    if len(ts) != 4:
        raise ValueError("Imposible")
    s1, s2, s3, s4 = ts
    arriba = np.hstack((s2, s1))
    abajo = np.hstack((s3, s4))
    return np.vstack((arriba, abajo))


def triomino(n, p):
    return divideVenceras(ind, resuelve, divide, combina, pbInicial(n, p))
