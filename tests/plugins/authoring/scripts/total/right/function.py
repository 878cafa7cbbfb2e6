def ask(which):
    return int(input(f"{which} number: "))

print(f"The sum is {ask('First') + ask('Second')}")
