text = input("Whole number: ")
while not text.lstrip("-").isdigit():
    print("Try again.")
    text = input("Whole number: ")
n = int(text)
if n % 2:
    print(f"{n} is odd")
else:
    print(f"{n} is even")
