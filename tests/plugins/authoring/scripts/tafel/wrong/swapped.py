n = int(input("Getal? "))
for i in range(1, 6):
    print(n, "x", i, "=", i * n)
