"""The reference: accounts, and blocks that are done as a whole."""


class Account:
    """An account with a balance that never is negative."""

    def __init__(self, balance):
        self._balance = balance

    @property
    def balance(self):
        """How much there is."""
        return self._balance

    def add(self, amount):
        """Put so much on it."""
        self._balance += amount

    def take(self, amount):
        """Take so much off it, if there is enough."""
        if amount > self._balance:
            raise ValueError("too little")
        self._balance -= amount


class Together:
    """Does what is done in its block as a whole, or not at all."""

    def __init__(self, account):
        self._account = account

    def __enter__(self):
        self._before = self._account.balance
        return self._account

    def __exit__(self, kind, error, traceback):
        if kind is None:
            return False
        self._account.add(self._before - self._account.balance)
        return issubclass(kind, ValueError)
