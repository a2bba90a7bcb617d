#!/usr/bin/env python3
"""fathom's engine iocp beside a bare loop on a completion port, by Wine, in random pairs on a file of this machine.

    cargo xtask zip && unzip -j target/zip/fathom-*-windows-x64.zip '*/fathom.exe' -d FOLDER
    .ci/wine python3 benches/wine/pairs.py FOLDER/fathom.exe [PAIRS [SECONDS]]

Wine does the I/O inside the calls, on this machine's own file: what is compared is what each loop costs on top of the same
calls, and no figure says anything of Windows or of a device.
"""

import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
FILE_BYTES = 256 << 20
DEPTHS = (32, 1)


def wine(words, folder):
    answer = subprocess.run(["wine", *words], cwd=folder, capture_output=True, text=True, timeout=120)
    # A run under an emulator fails checks of its time, which is no failure here.
    if answer.returncode not in (0, 1):
        sys.exit(f"{words}: status {answer.returncode}\n{answer.stdout[-500:]}\n{answer.stderr[-500:]}")
    return answer.stdout


def bare(folder, depth, seconds):
    done, passed, processor, _ = map(int, wine(["ports.exe", "file.bin", str(depth), str(seconds)], folder).split())
    return done / passed * 1e9, processor / done


def fathom(program, folder, depth, seconds):
    words = [program, "--store", "runs.sqlite", "run", "--target", "file.bin", "--engine", "iocp", "--rw", "randread"]
    words += ["--bs", "4k", "--depth", str(depth), "--time", f"{seconds}s", "--json", "--compact", "--quiet"]
    summary = json.loads(wine(words, folder))["summary"]
    done = summary["directions"][0]["operations"]
    processor = summary["cpu_user_ns"] + summary["cpu_system_ns"]
    return done / summary["duration_ns"] * 1e9, processor / done


def told(name, ratios):
    logs = [math.log(ratio) for ratio in ratios]
    spread = statistics.stdev(logs) if len(logs) > 1 else math.nan
    print(f"{name}: median of {len(ratios)} paired ratios {statistics.median(ratios):.3f}, "
          f"from {min(ratios):.3f} to {max(ratios):.3f}, spread of a pair {100 * spread:.1f} %")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = os.path.abspath(sys.argv[1])
    pairs, seconds = int(sys.argv[2] if len(sys.argv) > 2 else 10), int(sys.argv[3] if len(sys.argv) > 3 else 3)
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(HERE, "ports.c")
        subprocess.run(["x86_64-w64-mingw32-gcc", "-O2", "-o", os.path.join(folder, "ports.exe"), source], check=True)
        with open(os.path.join(folder, "file.bin"), "wb") as file:
            for _ in range(FILE_BYTES >> 20):
                file.write(os.urandom(1 << 20))
        for depth in DEPTHS:
            rates, costs = [], []
            for _ in range(pairs):
                sides = {}
                for side in random.sample(["bare", "fathom"], 2):
                    sides[side] = bare(folder, depth, seconds) if side == "bare" else fathom(program, folder, depth, seconds)
                rates.append(sides["fathom"][0] / sides["bare"][0])
                costs.append(sides["fathom"][1] / sides["bare"][1])
            told(f"depth {depth}, rate", rates)
            told(f"depth {depth}, processor time an I/O", costs)


main()
