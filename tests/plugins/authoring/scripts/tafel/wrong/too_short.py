n = int(input("Getal? "))
for i in range(1, 5):
    print(i, "x", n, "=", i * n)
