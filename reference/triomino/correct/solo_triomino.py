"""Una sola función: la recursión lleva la esquina, el lado y el hueco de cada cuadrado."""


def triomino(n: int, p: tuple[int, int]) -> list[list[int]]:
    """Rellena un único tablero, sin trocearlo ni buscar nada en él."""
    filas = [[-1] * n for _ in range(n)]

    def cubre(f: int, c: int, lado: int, hueco: tuple[int, int], numero: int) -> None:
        if lado == 1:
            return
        x = lado // 2
        cuadrados = [(f, c + x), (f, c), (f + x, c), (f + x, c + x)]
        centrales = [(f + x - 1, c + x), (f + x - 1, c + x - 1), (f + x, c + x - 1), (f + x, c + x)]
        for k, ((i, j), central) in enumerate(zip(cuadrados, centrales, strict=True), 1):
            propio = i <= hueco[0] < i + x and j <= hueco[1] < j + x
            if not propio:
                filas[central[0]][central[1]] = numero
            cubre(i, j, x, hueco if propio else central, numero + k)

    cubre(0, 0, n, (p[0] - 1, p[1] - 1), 1)
    return filas
