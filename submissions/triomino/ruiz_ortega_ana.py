""" Ana Ruiz Ortega """

def dv(tab, i0, j0, lado, num):
    """ rellena el trozo de tablero que empieza en i0, j0 """
    mitad = lado // 2
    trozos = [(i0, j0 + mitad), (i0, j0), (i0 + mitad, j0), (i0 + mitad, j0 + mitad)]
    medio = [(i0 + mitad - 1, j0 + mitad), (i0 + mitad - 1, j0 + mitad - 1), (i0 + mitad, j0 + mitad - 1), (i0 + mitad, j0 + mitad)]
    poner = []
    for (i, j), m in zip(trozos, medio):
        vacio = True
        for a in range(i, i + mitad):
            for b in range(j, j + mitad):
                if tab[a][b] != 0:
                    vacio = False
        if vacio:
            poner.append(m)
    for (a, b) in poner:
        tab[a][b] = num
    if lado > 2:
        for k in range(4):
            dv(tab, trozos[k][0], trozos[k][1], mitad, num + k + 1)

def escribe(tab):
    for fila in tab:
        print("(", " ".join(str(x).rjust(2) for x in fila), ")")

def triomino(n, p):
    tab = [[0 for i in range(n)] for j in range(n)]
    tab[p[0] - 1][p[1] - 1] = -1
    dv(tab, 0, 0, n, 1)
    # sale igual que en el enunciado :)
    escribe(tab)

print("Ejemplo 1:")
triomino(4, (4, 4))
print("Ejemplo 2:")
triomino(4, (2, 3))
