people = int(input("With how many are you? "))
total = 0
for number in range(people):
    age = int(input(f"How old is number {number + 1}? "))
    if age < 12:
        total = total + 4
    elif age < 65:
        total = total + 9
    else:
        total = total + 6.5
if people > 4:
    total = total - total / 10
if people:
    print("Total: %.2f euro" % total)
else:
    print("Nobody comes.")
