weight = float(input("Weight: "))
height = float(input("Height: "))
bmi = weight / height ** 2
print(f"Your BMI is {bmi:.1f}.")
if bmi > 25:
    print("That is too much.")
