from functools import partial


def triomino(n, p):
    t = tablero(n, p)
    partial(_rellena, t)(1, 0, 0, n)
    return t


def _rellena(t, numero, f, c, lado):
    sigue = partial(_rellena, t)
    for i, j in centralesSinHueco(t[f : f + lado, c : c + lado]):
        t[f + i - 1, c + j - 1] = numero
    if lado > 2:
        x = lado // 2
        sigue(numero + 1, f, c + x, x)
        sigue(numero + 2, f, c, x)
        sigue(numero + 3, f + x, c, x)
        sigue(numero + 4, f + x, c + x, x)
