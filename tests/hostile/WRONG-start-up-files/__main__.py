raise SystemExit("ESCAPED: a file of a hand-in ran unasked")
