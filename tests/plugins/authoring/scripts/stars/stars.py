count = int(input("How many rows? "))
rows = [int(input(f"Row {i + 1}: ")) for i in range(count)]
for number, row in enumerate(rows, start=1):
    print(number, "|", "*" * row)
