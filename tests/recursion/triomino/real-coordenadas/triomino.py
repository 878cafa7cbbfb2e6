def triomino(n, p):
    t = tablero(n, p)
    _coloca(t, 0, 0, n, (p[0] - 1, p[1] - 1), 1)
    return t


def _coloca(t, fila, columna, lado, hueco, numero):
    if lado == 1:
        return
    m = lado // 2
    esquinas = [(fila, columna + m), (fila, columna), (fila + m, columna), (fila + m, columna + m)]
    centros = [
        (fila + m - 1, columna + m),
        (fila + m - 1, columna + m - 1),
        (fila + m, columna + m - 1),
        (fila + m, columna + m),
    ]
    for k in range(4):
        f, c = esquinas[k]
        nuevo = hueco
        if not (f <= hueco[0] < f + m and c <= hueco[1] < c + m):
            nuevo = centros[k]
            t[nuevo] = numero
        _coloca(t, f, c, m, nuevo, numero + k + 1)
