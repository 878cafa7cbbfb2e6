"""Returns an instance of a class whose metaclass lies about names, bases, equality and hash; none of it is asked."""

class Meta(type):
    __name__ = property(lambda cls: "str")
    __qualname__ = "str"
    __mro__ = property(lambda cls: (str, object))
    __hash__ = lambda cls: hash(str)

    def __eq__(cls, other):
        return True

    def __instancecheck__(cls, other):
        return True

    def __subclasscheck__(cls, other):
        return True

    def __getattribute__(cls, name):
        raise SystemExit(f"asked for {name}")

    def mro(cls):
        return [cls, Base, object]


class Base:
    pass


class Liar(Base, metaclass=Meta):
    pass


def answer(n):
    return type.__call__(Liar)


def double(n):
    return 2 * n
