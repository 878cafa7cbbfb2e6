from functools import lru_cache


@lru_cache(maxsize=None)
def _solucion(n, i, j):
    """Devuelve las filas de la solución, numeradas desde 1; el hueco es None."""
    x = n // 2
    filas = [[0] * n for _ in range(n)]
    for k, f, c in ((1, 0, x), (2, 0, 0), (3, x, 0), (4, x, x)):
        dentro = f < i <= f + x and c < j <= c + x
        hi, hj = (i - f, j - c) if dentro else (1 if f else x, 1 if c else x)
        if x > 1:
            for a, fila in enumerate(_solucion(x, hi, hj)):
                filas[f + a][c : c + x] = [v if v is None else v + k for v in fila]
        filas[f + hi - 1][c + hj - 1] = None if dentro else 1
    return tuple(tuple(fila) for fila in filas)


def triomino(n, p):
    return np.array([[HUECO if v is None else v for v in fila] for fila in _solucion(n, *p)])
