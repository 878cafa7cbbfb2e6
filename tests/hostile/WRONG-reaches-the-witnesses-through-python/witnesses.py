"""Where the witnesses are. These are names of nobody; the tests put in real ones."""

TCP = 9
UDP = 9
UNIX = "/tmp/grader-witness"
UNIX_DATAGRAM = "/tmp/grader-witness"
ABSTRACT = "\0grader-witness"
ABSTRACT_DATAGRAM = "\0grader-witness"
FILES = ("/tmp/grader-witness",)
CANARY_PID = 999999999
SYSTEM_V_SHM = 999999999
SYSTEM_V_SEM = 999999999
SYSTEM_V_MSG = 999999999
POSIX_QUEUE = "/grader-witness"
