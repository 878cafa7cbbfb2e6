base = int(input("Base: "))
exponent = int(input("Exponent: "))
print(base ** exponent)
