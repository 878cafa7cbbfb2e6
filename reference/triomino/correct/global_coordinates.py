"""One board filled in place by coordinates (corner, side, hole), with a base case of its own, debug prints to the screen and a 1x1 board answered."""
import numpy as np


def divideVenceras(ind, resuelve, divide, combina, p):
    if ind(p):
        return resuelve(p)
    return combina(p, [divideVenceras(ind, resuelve, divide, combina, q) for q in divide(p)])


def triomino(n, p):
    print("DEBUG triomino", n, p)
    t = np.zeros((n, n), dtype=int)
    t[p[0] - 1, p[1] - 1] = -1
    if n == 1:
        return t

    # un problema es (numero, fila esquina, columna esquina, lado, fila hueco, columna hueco), desde 0
    def pequeno(pb):
        return pb[3] == 2

    def rellena(pb):
        num, f, c, lado, hf, hc = pb
        for i in range(f, f + 2):
            for j in range(c, c + 2):
                if i != hf or j != hc:
                    t[i, j] = num
        return None

    def trocea(pb):
        num, f, c, lado, hf, hc = pb
        x = lado // 2
        mf = f + x
        mc = c + x
        # arriba derecha
        if hf < mf and hc >= mc:
            p1 = (num + 1, f, mc, x, hf, hc)
        else:
            t[mf - 1, mc] = num
            p1 = (num + 1, f, mc, x, mf - 1, mc)
        # arriba izquierda
        if hf < mf and hc < mc:
            p2 = (num + 2, f, c, x, hf, hc)
        else:
            t[mf - 1, mc - 1] = num
            p2 = (num + 2, f, c, x, mf - 1, mc - 1)
        # abajo izquierda
        if hf >= mf and hc < mc:
            p3 = (num + 3, mf, c, x, hf, hc)
        else:
            t[mf, mc - 1] = num
            p3 = (num + 3, mf, c, x, mf, mc - 1)
        # abajo derecha
        if hf >= mf and hc >= mc:
            p4 = (num + 4, mf, mc, x, hf, hc)
        else:
            t[mf, mc] = num
            p4 = (num + 4, mf, mc, x, mf, mc)
        return [p1, p2, p3, p4]

    divideVenceras(pequeno, rellena, trocea, lambda pb, ts: None, (1, 0, 0, n, p[0] - 1, p[1] - 1))
    return t


def tablero(n, p):
    i, j = p
    t = np.zeros((n, n), dtype=int)
    t[i - 1, j - 1] = -1
    return t


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    if pb[1].shape == (2, 2):
        return True
    else:
        return False


def posicionHueco(t):
    for i, fila in enumerate(t.tolist()):
        for j, v in enumerate(fila):
            if v != 0:
                return (i + 1, j + 1)


def cuadranteHueco(t):
    i, j = posicionHueco(t)
    x = t.shape[0] // 2
    if i <= x and j <= x:
        return 1
    if i > x and j <= x:
        return 2
    if i <= x and j > x:
        return 3
    if i > x and j > x:
        return 4


def centralHueco(t):
    i, j = posicionHueco(t)
    x = t.shape[0] // 2
    if i > x:
        f = x + 1
    else:
        f = x
    if j > x:
        c = x + 1
    else:
        c = x
    return (f, c)


def centralesSinHueco(t):
    x = t.shape[0] // 2
    ps = [(x, x), (x + 1, x), (x, x + 1), (x + 1, x + 1)]
    i, j = centralHueco(t)
    ps.remove((i, j))
    return ps


def actualiza(t, ps):
    for k in range(len(ps)):
        pos = ps[k][0]
        t[pos[0] - 1, pos[1] - 1] = ps[k][1]
    return t


def triominoCentral(pb):
    n = pb[0]
    t = pb[1]
    x = t.shape[0] // 2
    i, j = posicionHueco(t)
    if i > x or j > x:
        t[x - 1, x - 1] = n
    if i <= x or j > x:
        t[x, x - 1] = n
    if i > x or j <= x:
        t[x - 1, x] = n
    if i <= x or j <= x:
        t[x, x] = n
    return t


def resuelve(pb):
    n, t = pb
    i, j = posicionHueco(t)
    for f in (1, 2):
        for c in (1, 2):
            if (f, c) != (i, j):
                t[f - 1, c - 1] = n
    print("DEBUG resuelto")
    return t


def divide(pb):
    n, t = pb
    m = t.shape[0]
    x = m // 2
    q = triominoCentral(pb)
    sub = []
    sub.append((n + 1, q[0:x, x:m]))
    sub.append((n + 2, q[0:x, 0:x]))
    sub.append((n + 3, q[x:m, 0:x]))
    sub.append((n + 4, q[x:m, x:m]))
    return sub


def combina(pb, ts):
    a = np.concatenate((ts[1], ts[0]), axis=1)
    b = np.concatenate((ts[2], ts[3]), axis=1)
    return np.concatenate((a, b), axis=0)
