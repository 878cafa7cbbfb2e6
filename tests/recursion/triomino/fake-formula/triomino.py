def triomino(n, p):
    t = tablero(n, p)
    for f in range(n):
        for c in range(n):
            if t[f, c] != HUECO:
                t[f, c] = _color(n, p[0] - 1, p[1] - 1, f, c)
    return t


def _color(n, hf, hc, f, c):
    k = 1
    while True:
        x = n // 2
        arriba, izquierda = f < x, c < x
        if (hf < x) != arriba or (hc < x) != izquierda:
            hf = x - 1 if arriba else x
            hc = x - 1 if izquierda else x
            if (f, c) == (hf, hc):
                return k
        k += (2 if izquierda else 1) if arriba else (3 if izquierda else 4)
        f, hf = (f, hf) if arriba else (f - x, hf - x)
        c, hc = (c, hc) if izquierda else (c - x, hc - x)
        n = x
