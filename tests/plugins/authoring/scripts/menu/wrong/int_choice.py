print("1. add\n2. show\n3. stop")
items = []
while True:
    choice = int(input("Choice: "))
    if choice == 1:
        items.append(input("Item: "))
    elif choice == 2:
        print(items)
    elif choice == 3:
        break
    else:
        print("Unknown choice")
print(f"Bye, {len(items)} items")
