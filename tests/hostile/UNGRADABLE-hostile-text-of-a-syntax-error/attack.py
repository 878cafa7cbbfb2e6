"""A syntax error in a line of hostile text: the line is shown, escaped and cut off."""


def answer(n):
    return 1


</script><script>alert(1)</script> ::error:: ‮ [2J ]0;t ]]> {{7*7}} =HYPERLINK("x") "'onload='x
