marks = []
line = input("Mark: ")
while line:
    marks.append(float(line))
    line = input("Mark: ")
print(f"The average of {len(marks)} marks is {sum(marks) / len(marks):.2f}")
