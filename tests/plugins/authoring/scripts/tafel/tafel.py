getal = int(input("Getal? "))
for i in range(1, 6):
    print(i, "x", getal, "=", i * getal)
