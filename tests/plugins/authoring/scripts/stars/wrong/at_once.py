n = int(input("How many rows? "))
for i in range(1, n + 1):
    k = int(input("Row " + str(i) + ": "))
    print(i, "|", k * "*")
