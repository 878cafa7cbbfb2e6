prijs = int(input("Te betalen (cent): "))
betaald = int(input("Betaald (cent): "))
terug = betaald - prijs
if terug < 0:
    print("Te weinig!")
else:
    print("Terug:", terug, "cent")
    for waarde, naam in [(500, "5 euro"), (100, "1 euro"), (10, "10 cent"), (5, "5 cent")]:
        aantal, terug = divmod(terug, waarde)
        if aantal:
            print(f"{naam}: {aantal}")
