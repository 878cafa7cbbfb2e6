w = float(input("Weight: "))
h = float(input("Height: "))
b = w / h * 2
print(f"Your BMI is {b:.1f}.")
if b > 25: print("That is too much.")
