from DivideVenceras import divideVenceras


def triomino(n, p):
    return divideVenceras(lambda pb: True, con_bucle, divide, combina, pbInicial(n, p))


def con_bucle(pb):
    k, t = pb
    t = t.copy()
    trozos = [(k, t)]
    for k, trozo in trozos:
        for i, j in centralesSinHueco(trozo):
            trozo[i - 1, j - 1] = k
        x = len(trozo) // 2
        if x > 1:
            cuatro = (trozo[:x, x:], trozo[:x, :x], trozo[x:, :x], trozo[x:, x:])
            trozos.extend(zip(range(k + 1, k + 5), cuatro))
    return t
