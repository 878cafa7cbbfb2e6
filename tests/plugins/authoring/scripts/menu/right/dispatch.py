class Menu:
    def __init__(self):
        self.items = []
        self.open = True
        self.actions = {"1": self.add, "2": self.show, "3": self.stop}

    def add(self):
        self.items += [input("Item: ")]

    def show(self):
        for item in self.items:
            print(f"- {item}")

    def stop(self):
        print("Bye,", len(self.items), "items")
        self.open = False

    def run(self):
        print("1. add\n2. show\n3. stop")
        while self.open:
            self.actions.get(input("Choice: "), lambda: print("Unknown choice"))()

Menu().run()
