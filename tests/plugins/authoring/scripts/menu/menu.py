print("1. add")
print("2. show")
print("3. stop")
items = []
choice = ""
while choice != "3":
    choice = input("Choice: ")
    if choice == "1":
        items.append(input("Item: "))
    elif choice == "2":
        for item in items:
            print("-", item)
    elif choice != "3":
        print("Unknown choice")
print(f"Bye, {len(items)} items")
