people = int(input("How many people? "))
if people == 0:
    print("Nobody comes.")
else:
    total = 0
    for _ in range(people):
        age = int(input("Age: "))
        if age <= 12:
            total += 4
        elif age >= 65:
            total += 6.5
        else:
            total += 9
    if people >= 5:
        total = total * 0.9
    print("Total: " + format(total, ".2f") + " euro")
