"""CPU time and peak memory of child processes, from wait4. Called by run.sh.

A child starts in this process's memory, so a peak below some 14 MiB shows this process instead.
"""

import os
import subprocess
import sys


def once(command):
    """(CPU seconds, peak MiB, exit status) of one run; output is thrown away."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def best(commands, runs):
    """Best CPU seconds and highest peak of each command; the commands take turns, so that a busy
    moment of the machine meets all of them."""
    rows = [[float("inf"), 0.0, 0] for _ in commands]
    for _ in range(runs + 1):  # the first round fills the page cache and counts as well
        for row, command in zip(rows, commands):
            cpu, peak, status = once(command)
            row[0], row[1], row[2] = min(row[0], cpu), max(row[1], peak), status
    return rows


def main():
    runs, tool, folder, reference = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
    files = sorted(os.path.join(at, name) for at, _, names in os.walk(folder)
                   for name in names if name.endswith(".glb"))
    if not files:
        sys.exit(f"no .glb file in {folder}")
    sizes = [os.path.getsize(path) / 2**20 for path in files]
    commands = [[tool, "check", *files], [tool, "--version"]]
    if reference:
        commands.append([*reference, *files])
    rows = best(commands, runs)

    print(f"{len(files)} files, {sum(sizes):.1f} MiB, largest {max(sizes):.1f} MiB, "
          f"best of {runs + 1} runs")
    print(f"{'':12}{'CPU s':>9}{'MiB/s':>9}{'peak MiB':>10}{'exit':>6}")
    names = ["check", "start-up"] + (["reference"] if reference else [])
    for name, (cpu, peak, status) in zip(names, rows):
        rate = "" if name == "start-up" else f"{sum(sizes) / max(cpu, 1e-6):.0f}"
        print(f"{name:12}{cpu:9.3f}{rate:>9}{peak:10.1f}{status:6}")
    print(f"peak memory over largest file: {rows[0][1] / max(sizes):.2f}")
    if reference:
        print(f"CPU ratio to the reference: {rows[0][0] / max(rows[2][0], 1e-6):.2f}")


main()
