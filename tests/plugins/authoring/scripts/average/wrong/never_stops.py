total = count = 0
while count < 100:
    text = input("Mark: ")
    if text == "stop":
        break
    total += float(text or 0)
    count += 1
print("The average of", count, "marks is", round(total / count, 2))
