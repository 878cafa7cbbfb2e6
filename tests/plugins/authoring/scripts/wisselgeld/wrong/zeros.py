a = int(input("Te betalen (cent): "))
b = int(input("Betaald (cent): "))
rest = b - a
if rest < 0:
    print("Te weinig!")
else:
    print("Terug:", rest, "cent")
    for w, t in [(500, "5 euro"), (200, "2 euro"), (100, "1 euro"), (10, "10 cent"), (5, "5 cent")]:
        print(t + ":", rest // w)
        rest = rest % w
