def triomino(n, p):
    t = tablero(n, p)
    pon_central(t, 1)
    return t


def pon_central(t, numero):
    for i, j in centralesSinHueco(t):
        t[i - 1, j - 1] = numero
    reparte(t, numero)


def reparte(t, numero):
    x = len(t) // 2
    if x < 2:
        return
    for k, trozo in enumerate((t[:x, x:], t[:x, :x], t[x:, :x], t[x:, x:])):
        pon_central(trozo, numero + k + 1)
