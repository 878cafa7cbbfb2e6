"""The policy and the filters made of it, for every machine."""

from __future__ import annotations

import collections
import errno
import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from locked_forks import on_linux

from grader.executor import seccomp
from grader.executor.kernel import MACHINES, Machine
from grader.executor.syscall_policy import DENIALS, GRANTS, Arg, Grant

pytestmark = on_linux


def answer(program: bytes, audit_number: int, number: int, args: Iterable[int] = ()) -> int:
    """Return what a filter says, by running it as the kernel does."""
    padded = [*args, *(0,) * 6][:6]
    data = struct.pack("=IIQ6Q", number & 0xFFFFFFFF, audit_number, 0, *padded)
    code = list(struct.iter_unpack("=HBBI", program))
    at, loaded = 0, 0
    while True:
        operation, then, otherwise, k = code[at]
        at += 1
        if operation == 0x20:
            (loaded,) = struct.unpack_from("=I", data, k)
        elif operation == 0x05:
            at += k
        elif operation == 0x15:
            at += then if loaded == k else otherwise
        elif operation == 0x35:
            at += then if loaded >= k else otherwise
        else:
            assert operation == 0x06
            return int(k)


machines = pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES.keys())


def granted(machine: Machine) -> Iterator[tuple[Grant, int]]:
    """Yield the calls that are granted on a machine."""
    for grant in GRANTS:
        for name in grant.calls.split():
            if name in machine.numbers:
                yield grant, machine.numbers[name]


def numbers_with(args: Iterable[Arg], position: int) -> list[int]:
    """Return six arguments that satisfy `args`, by the number at `position` in each."""
    values = [0] * 6
    for arg in args:
        values[arg.index] = arg.allowed_values[position % len(arg.allowed_values)]
    return values


@machines
def test_zygote_filter_allows_what_is_granted(machine: Machine) -> None:
    """Each granted call passes the zygote filter, with each of its arguments."""
    program = seccomp.compile_zygote_filter(machine)
    for grant, number in granted(machine):
        for position in range(max([1, *(len(arg.allowed_values) for arg in grant.args)])):
            args = numbers_with(grant.args, position)
            assert seccomp.ALLOW == answer(program, machine.audit_number, number, args), grant


@machines
def test_zygote_filter_looks_at_every_bit_of_an_argument(machine: Machine) -> None:
    """A granted call with another argument is refused, also if only the high half differs."""
    program = seccomp.compile_zygote_filter(machine)
    for grant, number in granted(machine):
        for arg in grant.args:
            for wrong in (arg.allowed_values[0] | 1 << 32, 0x7FFFFFFF, 2**64 - 1):
                args = numbers_with(grant.args, 0)
                args[arg.index] = wrong
                expected = seccomp.ERROR | grant.error_otherwise
                assert expected == answer(program, machine.audit_number, number, args), grant


@machines
def test_zygote_filter_refuses_what_is_denied(machine: Machine) -> None:
    """Each denied call gets the error that its row names."""
    program = seccomp.compile_zygote_filter(machine)
    for denial in DENIALS:
        for name in denial.calls.split():
            if (number := machine.numbers.get(name)) is not None:
                expected = seccomp.ERROR | denial.error
                assert expected == answer(program, machine.audit_number, number), name


@machines
def test_zygote_filter_knows_no_other_call(machine: Machine) -> None:
    """Every number that no row names does not exist."""
    program = seccomp.compile_zygote_filter(machine)
    named = set(machine.numbers.values())
    unknown = [number for number in range(2000) if number not in named]

    assert {seccomp.ERROR | errno.ENOSYS} == {
        answer(program, machine.audit_number, number) for number in unknown
    }


@machines
def test_zygote_filter_kills_foreign_calls(machine: Machine) -> None:
    """Calls by another table, even harmless ones, kill."""
    program = seccomp.compile_zygote_filter(machine)
    getpid = machine.numbers["getpid"]
    foreign = [other.audit_number for other in MACHINES.values() if other != machine]

    assert {seccomp.KILL} == {
        *(answer(program, number, getpid) for number in (*foreign, 0x40000003, 0)),
        answer(program, machine.audit_number, getpid | 0x40000000),
        answer(program, machine.audit_number, -1),
    }


@machines
def test_child_filter_takes_away_what_is_the_zygotes(machine: Machine) -> None:
    """The child filter refuses each call that only the zygote is granted, and no other."""
    program = seccomp.compile_child_filter(machine)
    for grant, number in granted(machine):
        expected = seccomp.ERROR | errno.EPERM if grant.zygote_only else seccomp.ALLOW
        assert expected == answer(program, machine.audit_number, number), grant


def test_each_call_has_one_row() -> None:
    """No call is named twice in the policy, and every number in the tables is used."""
    named = [name for row in (*GRANTS, *DENIALS) for name in row.calls.split()]

    assert [] == [name for name, times in collections.Counter(named).items() if times > 1]
    assert set(named) == {name for machine in MACHINES.values() for name in machine.numbers}


@pytest.mark.parametrize(
    ("machine_name", "header"),
    [
        ("x86_64", "x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "asm-generic/unistd.h"),
    ],
)
def test_numbers_are_those_of_the_kernel(machine_name: str, header: str) -> None:
    """The tables agree with the kernel's headers, where these are installed."""
    file = Path("/usr/include") / header
    if not file.exists():
        pytest.skip(f"{file} is not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\b", file.read_text(encoding="utf-8"))
    theirs = {name: int(number) for name, number in found}
    theirs["newfstatat"] = theirs.get("newfstatat", theirs.get("fstatat", -1))
    ours = MACHINES[machine_name].numbers
    younger_than_some_headers = {"fchmodat2"}

    assert {} == {
        name: (number, theirs.get(name))
        for name, number in ours.items()
        if theirs.get(name) != number and name not in younger_than_some_headers
    }
    assert set() == (set(MACHINES["x86_64"].numbers) & set(theirs)) - set(ours)
