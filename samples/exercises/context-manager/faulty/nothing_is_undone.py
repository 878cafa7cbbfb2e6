class Account:
    def __init__(self, balance):
        self.balance = balance

    def add(self, amount):
        self.balance += amount

    def take(self, amount):
        if amount > self.balance:
            raise ValueError("too little")
        self.balance -= amount


class Together:
    def __init__(self, account):
        self.account = account

    def __enter__(self):
        return self.account

    def __exit__(self, kind, error, traceback):
        return kind is ValueError
