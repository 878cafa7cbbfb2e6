a = int(input("te betalen (cent):"))
b = int(input("betaald (cent):"))
if b < a:
    print("TE WEINIG!")
else:
    rest = b - a
    print("terug: ", rest, "cent")
    for w in (500, 100, 10, 5):
        n = 0
        while rest >= w:
            rest -= w
            n += 1
        if n > 0:
            if w >= 100:
                print(w // 100, "euro:", n)
            else:
                print(w, "cent:", n)
