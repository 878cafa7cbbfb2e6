"""The judge's side of the sandbox: starts zygotes, forks executors, asks them, ends them."""
