total = count = 0
while True:
    text = input("Mark: ")
    if not text:
        break
    total += float(text)
    count += 1
if count == 0:
    print("No marks")
else:
    print("The average of", count, "marks is", round(total / count, 2))
