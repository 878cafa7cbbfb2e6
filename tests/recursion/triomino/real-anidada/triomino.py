def triomino(n, p):
    t = tablero(n, p)

    def reparte(i, j, lado, numero):
        nonlocal t
        trozo = t[i : i + lado, j : j + lado]
        ps = [((i + a, j + b), numero) for a, b in centralesSinHueco(trozo)]
        t = actualiza(t, ps)
        m = lado // 2
        if m >= 2:
            reparte(i, j + m, m, numero + 1)
            reparte(i, j, m, numero + 2)
            reparte(i + m, j, m, numero + 3)
            reparte(i + m, j + m, m, numero + 4)

    reparte(0, 0, n, 1)
    return t
