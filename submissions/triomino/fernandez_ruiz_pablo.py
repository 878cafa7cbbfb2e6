def triomino(n, p):
    """ Pablo Fernández Ruiz. Sin numpy porque no lo tengo instalado en casa. """
    t = []
    for i in range(n):
        t.append([0] * n)
    t[p[0] - 1][p[1] - 1] = -1

    def busca(i0, j0, lado):
        for i in range(i0, i0 + lado):
            for j in range(j0, j0 + lado):
                if t[i][j] != 0:
                    return (i, j)
        return None

    def resuelve(i0, j0, lado, num):
        m = lado // 2
        # superior derecho, superior izquierdo, inferior izquierdo, inferior derecho
        esquinas = [(i0, j0 + m), (i0, j0), (i0 + m, j0), (i0 + m, j0 + m)]
        centro = [(i0 + m - 1, j0 + m), (i0 + m - 1, j0 + m - 1), (i0 + m, j0 + m - 1), (i0 + m, j0 + m)]
        vacios = [k for k in range(4) if busca(esquinas[k][0], esquinas[k][1], m) is None]
        for k in vacios:
            t[centro[k][0]][centro[k][1]] = num
        if lado > 2:
            for k in range(4):
                resuelve(esquinas[k][0], esquinas[k][1], m, num + k + 1)

    resuelve(0, 0, n, 1)
    return t
