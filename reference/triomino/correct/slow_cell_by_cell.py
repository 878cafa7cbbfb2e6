"""triomino asks for every cell anew which number lies there (plainly slow), with look-up in lists with `in`; helpers by brute force over whole rows."""
import numpy as np


def divideVenceras(ind, resuelve, divide, combina, p):
    if ind(p):
        return resuelve(p)
    partes = divide(p)
    return combina(p, [divideVenceras(ind, resuelve, divide, combina, parte) for parte in partes])


def arribaIzquierda(x):
    return [(i, j) for i in range(1, x + 1) for j in range(1, x + 1)]


def abajoIzquierda(x):
    return [(i, j) for i in range(x + 1, 2 * x + 1) for j in range(1, x + 1)]


def arribaDerecha(x):
    return [(i, j) for i in range(1, x + 1) for j in range(x + 1, 2 * x + 1)]


def abajoDerecha(x):
    return [(i, j) for i in range(x + 1, 2 * x + 1) for j in range(x + 1, 2 * x + 1)]


def trozoDe(c, x):
    """numero de trozo, lo que hay que restar y la casilla central del trozo donde esta c"""
    if c[0] <= x and c[1] > x:
        return 1, 0, x, (x, x + 1)
    elif c[0] <= x and c[1] <= x:
        return 2, 0, 0, (x, x)
    elif c[0] > x and c[1] <= x:
        return 3, x, 0, (x + 1, x)
    else:
        return 4, x, x, (x + 1, x + 1)


def mismoTrozo(a, b, x):
    return trozoDe(a, x) == trozoDe(b, x)


# un problema es (numero, lado, hueco, casilla): que numero hay en la casilla

def seSabe(pb):
    num, n, hueco, c = pb
    x = n // 2
    if c == hueco or n == 2:
        return True
    centro = trozoDe(c, x)[3]
    return c == centro and not mismoTrozo(c, hueco, x)


def loQueHay(pb):
    num, n, hueco, c = pb
    if c == hueco:
        return 0
    return num


def elTrozo(pb):
    num, n, hueco, c = pb
    x = n // 2
    k, df, dc, centro = trozoDe(c, x)
    if mismoTrozo(c, hueco, x):
        nuevo = hueco
    else:
        nuevo = centro
    return [(num + k, x, (nuevo[0] - df, nuevo[1] - dc), (c[0] - df, c[1] - dc))]


def elUnico(pb, ts):
    return ts[0]


def triomino(n, p):
    t = np.zeros((n, n), dtype=int)
    for i in range(1, n + 1):
        for j in range(1, n + 1):
            if (i, j) == (p[0], p[1]):
                t[i - 1, j - 1] = -1
            else:
                pb = (1, n, (p[0], p[1]), (i, j))
                t[i - 1, j - 1] = divideVenceras(seSabe, loQueHay, elTrozo, elUnico, pb)
    return t


def tablero(n, p):
    filas = []
    for i in range(1, n + 1):
        fila = []
        for j in range(1, n + 1):
            if (i, j) == (p[0], p[1]):
                fila.append(-1)
            else:
                fila.append(0)
        filas.append(fila)
    return np.array(filas)


def pbInicial(n, p):
    return (1, tablero(n, p))


def ind(pb):
    return pb[1].shape[1] == 2


def posicionHueco(t):
    lista = t.tolist()
    for i in range(len(lista)):
        for j in range(len(lista[i])):
            if lista[i][j] != 0:
                return (i + 1, j + 1)


def cuadranteHueco(t):
    x = t.shape[0] // 2
    h = posicionHueco(t)
    if h in arribaIzquierda(x):
        return 1
    if h in abajoIzquierda(x):
        return 2
    if h in arribaDerecha(x):
        return 3
    if h in abajoDerecha(x):
        return 4


def centralHueco(t):
    x = t.shape[0] // 2
    h = posicionHueco(t)
    if h in arribaIzquierda(x):
        return (x, x)
    if h in abajoIzquierda(x):
        return (x + 1, x)
    if h in arribaDerecha(x):
        return (x, x + 1)
    if h in abajoDerecha(x):
        return (x + 1, x + 1)


def centralesSinHueco(t):
    x = t.shape[0] // 2
    h = posicionHueco(t)
    if h in arribaIzquierda(x):
        return [(x + 1, x), (x, x + 1), (x + 1, x + 1)]
    if h in abajoIzquierda(x):
        return [(x, x), (x, x + 1), (x + 1, x + 1)]
    if h in arribaDerecha(x):
        return [(x, x), (x + 1, x), (x + 1, x + 1)]
    if h in abajoDerecha(x):
        return [(x, x), (x + 1, x), (x, x + 1)]


def actualiza(t, ps):
    filas = t.tolist()
    for i in range(len(filas)):
        for j in range(len(filas[0])):
            for pos, x in ps:
                if pos == (i + 1, j + 1):
                    filas[i][j] = x
    return np.array(filas)


def triominoCentral(pb):
    n, t = pb
    ps = []
    for c in centralesSinHueco(t):
        ps.append((c, n))
    return actualiza(t, ps)


def resuelve(pb):
    n, t = pb
    filas = t.tolist()
    for i in range(2):
        for j in range(2):
            if filas[i][j] == 0:
                filas[i][j] = n
    return np.array(filas)


def divide(pb):
    n, t = pb
    x = t.shape[0] // 2
    filas = triominoCentral(pb).tolist()
    res = []
    k = n
    for zona in [arribaDerecha(x), arribaIzquierda(x), abajoIzquierda(x), abajoDerecha(x)]:
        k = k + 1
        valores = [filas[i - 1][j - 1] for (i, j) in zona]
        res.append((k, np.array(valores).reshape(x, x)))
    return res


def combina(pb, ts):
    x = len(ts[0])
    res = [[0] * (2 * x) for _ in range(2 * x)]
    zonas = [arribaDerecha(x), arribaIzquierda(x), abajoIzquierda(x), abajoDerecha(x)]
    for zona, s in zip(zonas, ts):
        valores = [v for fila in s.tolist() for v in fila]
        for (i, j), v in zip(zona, valores):
            res[i - 1][j - 1] = v
    return np.array(res)
