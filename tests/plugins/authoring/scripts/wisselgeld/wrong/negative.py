a = int(input("Te betalen (cent): "))
b = int(input("Betaald (cent): "))
rest = b - a
print("Terug:", rest, "cent")
for w, t in [(500, "5 euro"), (100, "1 euro"), (10, "10 cent"), (5, "5 cent")]:
    if rest // w > 0: print(t + ":", rest // w)
    rest = rest % w
