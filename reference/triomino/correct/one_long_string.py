"""triomino keeps the board as one long string with one character per cell (chr) and joins strings; rows through splitlines; helpers with numpy flat indices."""
import numpy as np

CERO = 1000                # chr(CERO) es una casilla vacia
HUECO = chr(CERO - 1)      # es el -1


def divideVenceras(ind, resuelve, divide, combina, p):
    if ind(p):
        return resuelve(p)
    subproblemas = divide(p)
    subsoluciones = []
    for s in subproblemas:
        subsoluciones.append(divideVenceras(ind, resuelve, divide, combina, s))
    return combina(p, subsoluciones)


def _vacio(lado):
    return "\n".join([chr(CERO) * lado] * lado)


def _pon(texto, lado, i, j, v):
    k = (i - 1) * (lado + 1) + (j - 1)
    return texto[:k] + chr(CERO + v) + texto[k + 1:]


def _lado(texto):
    return len(texto.splitlines())


def _dondeHueco(texto):
    for k, c in enumerate(texto.replace("\n", "")):
        if c != chr(CERO):
            return k // _lado(texto) + 1, k % _lado(texto) + 1


def _medio(pb):
    num, texto = pb
    lado = _lado(texto)
    x = lado // 2
    i, j = _dondeHueco(texto)
    hueco = (x if i <= x else x + 1, x if j <= x else x + 1)
    for i in (x, x + 1):
        for j in (x, x + 1):
            if (i, j) != hueco:
                texto = _pon(texto, lado, i, j, num)
    return texto


def _cuartos(pb):
    num = pb[0]
    lineas = _medio(pb).splitlines()
    x = len(lineas) // 2
    ne = "\n".join(l[x:] for l in lineas[:x])
    no = "\n".join(l[:x] for l in lineas[:x])
    so = "\n".join(l[:x] for l in lineas[x:])
    se = "\n".join(l[x:] for l in lineas[x:])
    return [(num + 1, ne), (num + 2, no), (num + 3, so), (num + 4, se)]


def _pega(_, trozos):
    ne, no, so, se = [t.splitlines() for t in trozos]
    arriba = "\n".join(a + b for a, b in zip(no, ne))
    abajo = "\n".join(a + b for a, b in zip(so, se))
    return arriba + "\n" + abajo


def triomino(n, p):
    texto = _pon(_vacio(n), n, p[0], p[1], -1)
    sol = divideVenceras(lambda pb: _lado(pb[1]) == 2, _medio, _cuartos, _pega, (1, texto))
    return np.array([[ord(c) - CERO for c in linea] for linea in sol.splitlines()])


# ----- el resto de funciones del enunciado

def tablero(n, p):
    plano = [0] * (n * n)
    plano[(p[0] - 1) * n + p[1] - 1] = -1
    return np.array(plano).reshape(n, n)


def pbInicial(n, p):
    return 1, tablero(n, p)


def ind(pb):
    return len(pb[1][0]) == 2


def posicionHueco(t):
    k = int(np.argmax(t.ravel() != 0))
    return (k // t.shape[1] + 1, k % t.shape[1] + 1)


def cuadranteHueco(t):
    x = len(t) // 2
    i, j = posicionHueco(t)
    return [[1, 3], [2, 4]][(i - 1) // x][(j - 1) // x]


def centralHueco(t):
    x = len(t) // 2
    i, j = posicionHueco(t)
    return (x + (i - 1) // x, x + (j - 1) // x)


def centralesSinHueco(t):
    x = len(t) // 2
    ps = []
    for j in (x, x + 1):
        for i in (x, x + 1):
            if (i, j) != centralHueco(t):
                ps.append((i, j))
    return ps


def actualiza(t, ps):
    plano = t.ravel().tolist()
    for (i, j), x in ps:
        plano[(i - 1) * t.shape[1] + j - 1] = x
    return np.array(plano).reshape(t.shape)


def triominoCentral(pb):
    num, t = pb
    return actualiza(t, [(q, num) for q in centralesSinHueco(t)])


def resuelve(pb):
    return triominoCentral(pb)


def divide(pb):
    num, t = pb
    q = triominoCentral(pb)
    x = len(t) // 2
    return [(num + 1, q[:x, x:]), (num + 2, q[:x, :x]), (num + 3, q[x:, :x]), (num + 4, q[x:, x:])]


def combina(_, ts):
    filas = []
    for a, b in zip(ts[1].tolist(), ts[0].tolist()):
        filas.append(a + b)
    for a, b in zip(ts[2].tolist(), ts[3].tolist()):
        filas.append(a + b)
    return np.array(filas)
