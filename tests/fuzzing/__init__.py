"""Fuzzing of what reads the replies of executors: honest replies, spoilt in every way we know.

`honest` has a real session of the executor answer real requests; `damage` spoils the answers;
`delivery` hands them to the judge's own code over a real socket; `usage` does with what was
accepted what the judge does. `campaign` does this over and over and counts.

Only `ProtocolError` and `ExecutorEnded` may come out of the judge's code, whatever comes in.
"""
