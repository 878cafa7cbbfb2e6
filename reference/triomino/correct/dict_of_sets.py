"""triomino keeps a dict from each number to the set of cells that carry it and makes the matrix at the end; helpers with sets of positions."""
import numpy as np
from collections import defaultdict

NUMEROS_POR_NIVEL = 4


def divideVenceras(ind, resuelve, divide, combina, p):
    if ind(p):
        return resuelve(p)
    return combina(p, [divideVenceras(ind, resuelve, divide, combina, s) for s in divide(p)])


# problema: (numero, esquina, lado, hueco), todo en coordenadas del tablero grande (desde 1)

def _centros(esquina, lado):
    f, c = esquina
    x = lado // 2
    return {"NE": (f + x - 1, c + x), "NO": (f + x - 1, c + x - 1),
            "SO": (f + x, c + x - 1), "SE": (f + x, c + x)}


def _cuadrante(esquina, lado, hueco):
    x = lado // 2
    norte = hueco[0] < esquina[0] + x
    oeste = hueco[1] < esquina[1] + x
    return ("N" if norte else "S") + ("O" if oeste else "E")


def _une(a, b):
    for num in b:
        a[num] |= b[num]
    return a


def _pieza(pb):
    num, esquina, lado, hueco = pb
    centros = _centros(esquina, lado)
    d = defaultdict(set)
    d[num] = {centros[q] for q in centros if q != _cuadrante(esquina, lado, hueco)}
    return d


def _divide(pb):
    num, (f, c), lado, hueco = pb
    x = lado // 2
    centros = _centros((f, c), lado)
    mio = _cuadrante((f, c), lado, hueco)
    esquinas = [("NE", (f, c + x)), ("NO", (f, c)), ("SO", (f + x, c)), ("SE", (f + x, c + x))]
    res = []
    for k, (q, esquina) in enumerate(esquinas, 1):
        if q == mio:
            res.append((num + k, esquina, x, hueco))
        else:
            res.append((num + k, esquina, x, centros[q]))
    return res


def _combina(pb, ds):
    total = _pieza(pb)
    for d in ds:
        _une(total, d)
    return total


def triomino(n, p):
    d = divideVenceras(lambda pb: pb[2] == 2, _pieza, _divide, _combina, (1, (1, 1), n, tuple(p)))
    t = np.zeros((n, n), dtype=np.int32)
    for num, casillas in d.items():
        for i, j in casillas:
            t[i - 1, j - 1] = num
    t[p[0] - 1, p[1] - 1] = -1
    return t


def tablero(n, p):
    t = np.zeros((n, n), dtype=np.int32)
    t[p[0] - 1, p[1] - 1] = -1
    return t


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    return len(pb[1]) == 2


def _ocupadas(t):
    return {(i + 1, j + 1) for i, fila in enumerate(t.tolist()) for j, v in enumerate(fila) if v != 0}


def posicionHueco(t):
    return min(_ocupadas(t))


def cuadranteHueco(t):
    (i, j) = posicionHueco(t)
    x = t.shape[0] // 2
    cuadrantes = {(True, True): 1, (False, True): 2, (True, False): 3, (False, False): 4}
    return cuadrantes[(i <= x, j <= x)]


def centralHueco(t):
    x = t.shape[0] // 2
    cuadrante = cuadranteHueco(t)
    return {1: (x, x), 2: (x + 1, x), 3: (x, x + 1), 4: (x + 1, x + 1)}[cuadrante]


def centralesSinHueco(t):
    x = t.shape[0] // 2
    ps = {(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)} - {centralHueco(t)}
    # por columnas, como en el ejemplo
    return sorted(ps, key=lambda p: (p[1], p[0]))


def actualiza(t, ps):
    q = np.array(t)
    for (i, j), x in ps:
        q[i - 1, j - 1] = x
    return q


def triominoCentral(pb):
    n, t = pb
    return actualiza(t, [(p, n) for p in centralesSinHueco(t)])


def resuelve(pb):
    n, t = pb
    libres = {(1, 1), (1, 2), (2, 1), (2, 2)} - _ocupadas(t)
    return actualiza(t, [(p, n) for p in libres])


def divide(pb):
    n, t = pb
    x = t.shape[0] // 2
    centros = set(centralesSinHueco(t))
    res = []
    for k, (f, c) in enumerate([(0, x), (0, 0), (x, 0), (x, x)], 1):
        trozo = t[f:f + x, c:c + x].copy()
        for (i, j) in centros:
            if f < i <= f + x and c < j <= c + x:
                trozo[i - f - 1, j - c - 1] = n
        res.append((n + k, trozo))
    return res


def combina(_, ts):
    x = ts[0].shape[0]
    d = {}
    for (f, c), s in zip([(0, x), (0, 0), (x, 0), (x, x)], ts):
        for i in range(x):
            for j in range(x):
                d[(f + i, c + j)] = s[i, j]
    return np.array([[d[(i, j)] for j in range(2 * x)] for i in range(2 * x)])
