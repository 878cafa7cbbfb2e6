"""The judge's side of the sandbox: starts zygotes, forks executors, sends requests, ends them."""
