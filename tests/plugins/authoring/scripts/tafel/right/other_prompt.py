n = int(input("Geef een getal: "))
i = 1
while i <= 5:
    print(f"{i} x {n} = {i * n}")
    i += 1
