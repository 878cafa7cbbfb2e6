"""triomino keeps a (right) cache of solved subproblems by size, number and hole and hands out copies of them; helpers mostly one-liners."""
import numpy as np

_resueltos = {}


def divideVenceras(ind, resuelve, divide, combina, p):
    if ind(p):
        return resuelve(p)
    return combina(p, list(map(lambda s: divideVenceras(ind, resuelve, divide, combina, s), divide(p))))


def _central(n, h):
    x = n // 2
    return (x + (h[0] > x), x + (h[1] > x))


def _soluciona(num, n, h):
    clave = (num, n, h)
    if clave in _resueltos:
        return _resueltos[clave]
    if n == 2:
        s = np.full((2, 2), num)
        s[h[0] - 1, h[1] - 1] = -2
    else:
        x = n // 2
        c = _central(n, h)

        def hijo(k, f, d):
            # f, d valen 0 o 1: fila y columna del cuadrante
            if c == (x + f, x + d):
                return _soluciona(num + k, x, (h[0] - f * x, h[1] - d * x))
            esquina = (1 if f else x, 1 if d else x)
            s = _soluciona(num + k, x, esquina).copy()
            s[esquina[0] - 1, esquina[1] - 1] = num
            return s

        def problemas(_):
            return [(1, 0, 1), (2, 0, 0), (3, 1, 0), (4, 1, 1)]

        s = divideVenceras(lambda q: q is not None,
                           lambda q: hijo(*q),
                           problemas,
                           lambda _, ts: np.block([[ts[1], ts[0]], [ts[2], ts[3]]]),
                           None)
    _resueltos[clave] = s
    return s


def triomino(n, p):
    s = _soluciona(1, n, (int(p[0]), int(p[1]))).copy()
    s[p[0] - 1, p[1] - 1] = -1
    return s


def tablero(n, p):
    t = np.zeros((n, n), dtype=int)
    t[tuple(k - 1 for k in p)] = -1
    return t


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    return pb[1].shape[0] == 2


def posicionHueco(t):
    return tuple(int(k) + 1 for k in np.argwhere(t)[0])


def cuadranteHueco(t):
    return [(0, 0), (1, 0), (0, 1), (1, 1)].index(tuple(a - len(t) // 2 for a in centralHueco(t))) + 1


def centralHueco(t):
    return tuple(len(t) // 2 + int(k > len(t) // 2) for k in posicionHueco(t))


def centralesSinHueco(t):
    x = len(t) // 2
    return [p for p in [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)] if p != centralHueco(t)]


def actualiza(t, ps):
    q = t.copy()
    if ps:
        pos, valores = zip(*ps)
        for a, v in zip(pos, valores):
            q[a[0] - 1, a[1] - 1] = v
    return q


def triominoCentral(pb):
    return actualiza(pb[1], [(c, pb[0]) for c in centralesSinHueco(pb[1])])


def resuelve(pb):
    return np.where(pb[1] == 0, pb[0], pb[1])


def divide(pb):
    q = triominoCentral(pb)
    x = len(q) // 2
    return [(pb[0] + k, q[f:f + x, c:c + x]) for k, f, c in [(1, 0, x), (2, 0, 0), (3, x, 0), (4, x, x)]]


def combina(_, ts):
    return np.block([[ts[1], ts[0]], [ts[2], ts[3]]])
