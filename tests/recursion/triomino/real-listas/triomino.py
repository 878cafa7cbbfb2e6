def triomino(n, p):
    filas = [[0] * n for _ in range(n)]
    filas[p[0] - 1][p[1] - 1] = -1
    return _resuelve(filas, 1)


def _resuelve(filas, num):
    n = len(filas)
    x = n // 2
    cuadros = []
    for arriba, izquierda in [(True, False), (True, True), (False, True), (False, False)]:
        mitad = filas[:x] if arriba else filas[x:]
        cuadro = [fila[:x] if izquierda else fila[x:] for fila in mitad]
        if not any(any(fila) for fila in cuadro):
            cuadro[-1 if arriba else 0][-1 if izquierda else 0] = num
        cuadros.append(cuadro)
    if x > 1:
        cuadros = [_resuelve(cuadro, num + k) for k, cuadro in enumerate(cuadros, 1)]
    s1, s2, s3, s4 = cuadros
    return [a + b for a, b in zip(s2, s1)] + [a + b for a, b in zip(s3, s4)]
