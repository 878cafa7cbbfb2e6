"""How executors and zygotes end, when somebody ends them or is gone."""

from __future__ import annotations

import json
import os
import signal
import time

from locked_forks import MIB, fork, fork_with_pipe, on_linux, write_line

from grader.executor.lockdown import lock_child, lock_zygote

pytestmark = on_linux


def test_executor_dies_with_its_zygote() -> None:
    """No executor is left when the zygote is gone."""

    def be_zygote(report_fd: int) -> None:
        lock = lock_zygote()

        def be_executor() -> None:
            lock_child(lock, memory_bytes=64 * MIB, cpu_s=10, keep_fd=report_fd)
            write_line(report_fd, {"locked": True})
            time.sleep(60)
            write_line(report_fd, {"survived": True})

        fork(be_executor, report_fd)
        time.sleep(60)

    pid, read_fd = fork_with_pipe(be_zygote)
    with open(read_fd, encoding="utf-8") as pipe:
        assert {"locked": True} == json.loads(pipe.readline())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert "" == pipe.read()


def test_zygote_dies_with_the_judge() -> None:
    """No zygote is left when the judge is gone, even one that waits for nothing."""

    def be_judge(report_fd: int) -> None:
        def be_zygote() -> None:
            lock_zygote()
            write_line(report_fd, {"locked": True})
            time.sleep(60)
            write_line(report_fd, {"survived": True})

        fork(be_zygote, report_fd)
        time.sleep(60)

    pid, read_fd = fork_with_pipe(be_judge)
    with open(read_fd, encoding="utf-8") as pipe:
        assert {"locked": True} == json.loads(pipe.readline())
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        assert "" == pipe.read()


def test_judge_kills_an_executor() -> None:
    """The judge, who may be another user, ends an executor by pid and reads its CPU clock."""

    def be_zygote(report_fd: int) -> None:
        lock = lock_zygote()

        def be_executor() -> None:
            lock_child(lock, memory_bytes=64 * MIB, cpu_s=10, keep_fd=report_fd)
            sum(range(1_000_000))
            write_line(report_fd, {"pid": os.getpid()})
            time.sleep(60)

        status = os.waitpid(fork(be_executor, report_fd), 0)[1]
        write_line(report_fd, {"killed_by": os.WTERMSIG(status)})

    zygote_pid, read_fd = fork_with_pipe(be_zygote)
    with open(read_fd, encoding="utf-8") as pipe:
        executor_pid = json.loads(pipe.readline())["pid"]
        assert time.clock_gettime(~executor_pid << 3 | 2) > 0
        assert 0 == os.stat(f"/proc/{executor_pid}/mem").st_uid
        os.kill(executor_pid, signal.SIGKILL)
        assert {"killed_by": signal.SIGKILL} == json.loads(pipe.readline())
    os.waitpid(zygote_pid, 0)
