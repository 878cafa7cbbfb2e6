n = int(input("How many rows? "))
rows = []
for i in range(n):
    rows.append(int(input("Row " + str(i) + ": ")))
for i in range(n):
    print(i, "|", rows[i] * "*")
