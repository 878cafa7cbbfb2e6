items = []
while True:
    print("1. add\n2. show\n3. stop")
    choice = input("Choice: ")
    if choice == "1":
        items.append(input("Item: "))
    elif choice == "2":
        for item in items:
            print("-", item)
    elif choice == "3":
        break
    else:
        print("Unknown choice")
print(f"Bye, {len(items)} items")
