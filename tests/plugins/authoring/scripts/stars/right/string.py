n = int(input("How many rows? "))
out = ""
for i in range(1, n + 1):
    k = int(input("Row " + str(i) + ": "))
    out += str(i) + " | " + k * "*" + "\n"
print(out)
