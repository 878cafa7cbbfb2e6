def triomino(n, p):
    t = tablero(n, p)
    rellena(t, 1)
    return t


def rellena(t, n):
    for i, j in centralesSinHueco(t):
        t[i - 1, j - 1] = n
    x = len(t) // 2
    if x > 1:
        rellena(t[:x, x:], n + 1)
        rellena(t[:x, :x], n + 2)
        rellena(t[x:, :x], n + 3)
        rellena(t[x:, x:], n + 4)
