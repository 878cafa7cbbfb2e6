print("Geef een getal")
n = int(input())
for i in [1, 2, 3, 4, 5]: print(i, 'x', n, '=', n * i)
