"""No recursion anywhere: divideVenceras uses an explicit stack, triomino paints one shared board by corner and side."""
import numpy as np


def divideVenceras(ind, resuelve, divide, combina, p):
    # con una pila en vez de recursion
    pila = [("abre", p)]
    hechos = []
    while pila:
        orden, q = pila.pop()
        if orden == "cierra":
            ts = hechos[-4:]
            del hechos[-4:]
            hechos.append(combina(q, ts))
        elif ind(q):
            hechos.append(resuelve(q))
        else:
            sub = divide(q)
            pila.append(("cierra", q))
            for s in reversed(sub):
                pila.append(("abre", s))
    return hechos[0]


def triomino(n, p):
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1

    # un problema es (numero, fila, columna, lado) de un trozo de t, desde 0
    def pinta(pb):
        num, f, c, lado = pb
        trozo = t[f:f + lado, c:c + lado]
        x = lado // 2
        hf, hc = [int(v) for v in np.argwhere(trozo != 0)[0]]
        for a in (0, 1):
            for b in (0, 1):
                if (hf >= x) != bool(a) or (hc >= x) != bool(b):
                    t[f + x - 1 + a, c + x - 1 + b] = num
        return t

    def parte(pb):
        pinta(pb)
        num, f, c, lado = pb
        x = lado // 2
        return [(num + 1, f, c + x, x), (num + 2, f, c, x), (num + 3, f + x, c, x), (num + 4, f + x, c + x, x)]

    return divideVenceras(lambda pb: pb[3] == 2, pinta, parte, lambda pb, ts: t, (1, 0, 0, n))


def tablero(n, p):
    t = np.full((n, n), 0)
    t.itemset((p[0] - 1, p[1] - 1), -1) if hasattr(t, "itemset") else t.put((p[0] - 1) * n + p[1] - 1, -1)
    return t


def pbInicial(n, p):
    inicial = tablero(n, p)
    return 1, inicial


def ind(pb):
    return bool(pb[1].shape[1] <= 2)


def posicionHueco(t):
    m = t.shape[0]
    k = 0
    while t[k // m, k % m] == 0:
        k += 1
    return (k // m + 1, k % m + 1)


def cuadranteHueco(t):
    x = t.shape[0] // 2
    if np.any(t[:x, :x] != 0):
        return 1
    if np.any(t[x:, :x] != 0):
        return 2
    if np.any(t[:x, x:] != 0):
        return 3
    return 4


def centralHueco(t):
    x = t.shape[0] // 2
    f = x
    c = x
    cu = cuadranteHueco(t)
    if cu % 2 == 0:
        f += 1
    if cu >= 3:
        c += 1
    return (f, c)


def centralesSinHueco(t):
    x = t.shape[0] // 2
    cu = cuadranteHueco(t)
    ps = [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]
    del ps[cu - 1]
    return ps


def actualiza(t, ps):
    i = 0
    while i < len(ps):
        (f, c), v = ps[i]
        t[f - 1, c - 1] = v
        i += 1
    return t


def triominoCentral(pb):
    num, t = pb
    return actualiza(t, [(ps, num) for ps in centralesSinHueco(t)])


def resuelve(pb):
    num, t = pb
    t[t == 0] = num
    return t


def divide(pb):
    num, t = pb
    q = triominoCentral(pb)
    arriba, abajo = np.vsplit(q, 2)
    no, ne = np.hsplit(arriba, 2)
    so, se = np.hsplit(abajo, 2)
    return [(num + 1, ne), (num + 2, no), (num + 3, so), (num + 4, se)]


def combina(pb, ts):
    ne, no, so, se = ts
    return np.vstack([np.hstack([no, ne]), np.hstack([so, se])])
