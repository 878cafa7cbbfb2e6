while True:
    try:
        n = int(input("Whole number: "))
        break
    except ValueError:
        print("Try again.")
print(n, "is even" if n % 2 == 0 else "is odd")
