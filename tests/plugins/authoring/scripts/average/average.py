marks = []
while (line := input("Mark: ")) != "":
    marks.append(float(line))
if marks:
    print(f"The average of {len(marks)} marks is {sum(marks) / len(marks):.2f}")
else:
    print("No marks")
