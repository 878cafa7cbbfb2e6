from contextlib import contextmanager


class Account:
    def __init__(self, balance):
        self.balance = balance

    def add(self, amount):
        self.balance += amount

    def take(self, amount):
        if self.balance < amount:
            raise ValueError("too little")
        self.balance -= amount


@contextmanager
def Together(account):
    before = account.balance
    try:
        yield account
    except ValueError:
        account.balance = before
    except BaseException:
        account.balance = before
        raise
