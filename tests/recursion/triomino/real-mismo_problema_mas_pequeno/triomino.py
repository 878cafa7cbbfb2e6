def triomino(n, p, primero=1):
    """Resuelve los cuatro cuadrantes con la misma función."""
    i, j = p
    x = n // 2
    t = np.zeros((n, n), dtype=int)
    cuadrantes = [(1, 0, x), (2, 0, 0), (3, x, 0), (4, x, x)]
    for k, fila, columna in cuadrantes:
        tieneHueco = fila < i <= fila + x and columna < j <= columna + x
        if tieneHueco:
            hueco = (i - fila, j - columna)
        else:
            hueco = (x if fila == 0 else 1, x if columna == 0 else 1)
        if x > 1:
            t[fila : fila + x, columna : columna + x] = triomino(x, hueco, primero + k)
        if not tieneHueco:
            t[fila + hueco[0] - 1, columna + hueco[1] - 1] = primero
    t[i - 1, j - 1] = -1
    return t
