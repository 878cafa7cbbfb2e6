people = int(input("How many people? "))
total = 0
while people >= 0:
    age = int(input("Age: "))
    if age < 12:
        total += 4
    elif age >= 65:
        total += 6.5
    else:
        total += 9
    people -= 1
print(f"Total: {total:.2f} euro")
