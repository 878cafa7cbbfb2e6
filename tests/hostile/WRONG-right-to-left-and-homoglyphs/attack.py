"""Names that look like others and text that runs backwards; names are compared as Python does, and text is shown escaped."""


def аnswer(n):
    return "the other one"


def answer(n):
    # ‮ } ⁦if is_staff⁩ ⁦ begin
    return "‮nekot-1‬ ​⁦x⁩ ｐａｓｓｅｄ"


def ｄｏｕｂｌｅ(n):
    return 2 * n
