n = int(input("Whole number: "))
print(n, "is even" if n % 2 == 0 else "is odd")
