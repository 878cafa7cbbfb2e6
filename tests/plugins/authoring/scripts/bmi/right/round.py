w = float(input("Weight: "))
h = float(input("Height: "))
b = round(w / (h * h), 1)
print("Your BMI is " + str(b) + ".")
if b > 25:
    print("That is too much.")
