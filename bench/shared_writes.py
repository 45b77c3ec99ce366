"""Counts the atomic read-modify-write instructions that one get of the engine executes, with valgrind's callgrind.

Locks and reference counts are such instructions. Those on memory that all gets write to keep a machine with many cores
from running gets side by side: each moves a cache line from one core to another. Counts depend neither on the machine's
load nor on its speed.

    python3 bench/shared_writes.py [--gets N]      prints them by the function that executes them

The counts are those of `hjall-bench cores --gets`: gets of single rows from files, on one thread, without the row
cache. HJALL_BENCH_BIN names the program, which is target/release/hjall-bench by default. It has to be built with line
tables (CARGO_PROFILE_RELEASE_DEBUG=line-tables-only), by which inlined functions are recognised. Needs valgrind and
objdump and addr2line of binutils.
"""

import argparse
import collections
import os
import re
import subprocess
import sys
import tempfile

# Instructions with the prefix `lock`, and exchanges with memory, which lock without it.
ATOMIC = re.compile(r"^\s+([0-9a-f]+):\s+(?:lock\s|xchg\s.*\()")
# Functions of these crates only wrap the instruction: the caller is of interest.
WRAPPERS = re.compile(
    r"^<?(core|alloc|std|parking_lot|parking_lot_core|lock_api|crossbeam_\w+|hashbrown)::|^[^:]*$"
)


def atomic_addresses(program):
    """The addresses of all atomic read-modify-write instructions of a program."""
    listing = subprocess.Popen(
        ["objdump", "--disassemble", "--no-show-raw-insn", program],
        stdout=subprocess.PIPE,
        text=True,
    )
    found = {int(match[1], 16) for match in map(ATOMIC.match, listing.stdout) if match}
    if listing.wait():
        sys.exit("objdump failed")
    return found


def executed(program, gets, addresses):
    """How often each of the instructions is executed in a run, by address."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "callgrind")
        options = [
            "--dump-instr=yes",
            "--compress-pos=no",
            "--compress-strings=no",
            "--separate-threads=yes",
            f"--callgrind-out-file={out}",
        ]
        command = [
            "valgrind",
            "--tool=callgrind",
            "--quiet",
            *options,
            program,
            "cores",
            "--gets",
            str(gets),
        ]
        subprocess.run(command, check=True)
        counts, ours, call = collections.Counter(), False, False
        # The first thread makes the gets. The others do the store's work in the background.
        with open(f"{out}-01") as lines:
            for line in lines:
                if line.startswith("ob="):
                    ours = os.path.basename(line.strip()) == os.path.basename(program)
                elif line.startswith("calls="):
                    call = True
                elif line.startswith("0x"):
                    # The line after `calls=` has the cost of the called function.
                    address, _, cost = line.split()[:3]
                    if ours and not call and int(address, 16) in addresses:
                        counts[int(address, 16)] += int(cost)
                    call = False
    return counts


def places(program, addresses):
    """For each address the function that executes it, without functions that only wrap the instruction."""
    asked = "".join(f"{address:#x}\n" for address in addresses)
    command = [
        "addr2line",
        "--exe",
        program,
        "--functions",
        "--inlines",
        "--demangle=rust",
        "--addresses",
    ]
    told = subprocess.run(
        command, input=asked, capture_output=True, text=True, check=True
    ).stdout
    found, stack = {}, []
    for line in [*told.splitlines(), "0x0"]:
        if re.fullmatch(r"0x[0-9a-f]+", line):
            if stack:
                # Functions and their files and lines alternate.
                functions = stack[1::2]
                found[int(stack[0], 16)] = next(
                    (f for f in functions if not WRAPPERS.match(f)), functions[-1]
                )
            stack = [line]
        else:
            stack.append(line)
    return found


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gets", type=int, default=2000, help="gets that are counted")
    arguments = parser.parse_args()
    program = os.environ.get("HJALL_BENCH_BIN", "target/release/hjall-bench")
    addresses = atomic_addresses(program)
    # The difference of two runs leaves out what opening, filling and closing execute.
    less = executed(program, arguments.gets, addresses)
    more = executed(program, 2 * arguments.gets, addresses)
    where = places(program, sorted(more.keys()))
    by_function = collections.Counter()
    for address, count in (more - less).items():
        by_function[where.get(address, "?")] += count
    print(
        f"atomic read-modify-writes per get: {sum(by_function.values()) / arguments.gets:.1f}"
    )
    for function, count in by_function.most_common():
        if count / arguments.gets >= 0.05:
            print(f"{count / arguments.gets:>8.2f}  {function}")


if __name__ == "__main__":
    main()
