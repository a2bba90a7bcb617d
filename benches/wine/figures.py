#!/usr/bin/env python3
"""The program for Windows by Wine, beside the least that its work takes, in random pairs on a file of this machine.

    cargo xtask zip && unzip -j target/zip/fathom-*-windows-x64.zip '*/fathom.exe' -d FOLDER
    .ci/wine python3 benches/wine/figures.py FOLDER/fathom.exe [--linux PROGRAM] [--fio FIO.EXE] [--pairs N] [--seconds N]
        [--only NAME,...]

Wine does the I/O inside the calls, on this machine's own file: what is compared is what each side costs on top of the same
calls, and no figure says anything of Windows or of a device. Cases: ports-d32, ports-d1, fio, null, clock, start.
"""

import argparse
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
FILE_BYTES = 256 << 20
# The loop, and a program that does nothing but start.
SOURCES = {"ports.exe": os.path.join(HERE, "ports.c"), "hello.exe": os.path.join(HERE, "hello.c")}
# Starts are short: so many of them make a pair's side.
STARTS = 5
CLOCK_SECONDS = 10
CLOCK_PPM_MAX = 50.0


def wine(words, folder):
    answer = subprocess.run(["wine", *words], cwd=folder, capture_output=True, text=True, timeout=180)
    # A run under an emulator fails checks of its time, which is no failure here.
    if answer.returncode not in (0, 1):
        sys.exit(f"{words}: status {answer.returncode}\n{answer.stdout[-500:]}\n{answer.stderr[-500:]}")
    return answer.stdout


def bare(desk, depth):
    words = ["ports.exe", "file.bin", str(depth), str(desk.seconds)]
    done, passed, cpu, _ = map(int, wine(words, desk.folder).split())
    return done / passed * 1e9, cpu / done


def words_of(desk, target, engine, depth):
    words = ["--store", "runs.sqlite", "run", "--target", target, "--engine", engine, "--rw", "randread", "--bs", "4k"]
    return [*words, "--depth", str(depth), "--time", f"{desk.seconds}s", "--json", "--compact", "--quiet"]


def figures(text):
    summary = json.loads(text)["summary"]
    done = summary["directions"][0]["operations"]
    return done / summary["duration_ns"] * 1e9, (summary["cpu_user_ns"] + summary["cpu_system_ns"]) / done


def fathom(desk, target, engine, depth):
    return figures(wine([desk.program, *words_of(desk, target, engine, depth)], desk.folder))


def fio(desk, without_thread):
    """What fio does by its engine windowsaio, at the same depth; its own words on it."""
    words = [desk.fio, "--name=a", "--thread", "--ioengine=windowsaio", f"--no_completion_thread={int(without_thread)}"]
    words += ["--filename=file.bin", "--rw=randread", "--bs=4k", "--iodepth=32", "--direct=1", "--norandommap"]
    words += ["--time_based", f"--runtime={desk.seconds}", "--output-format=json"]
    text = wine(words, desk.folder)
    job = json.loads(text[text.index("{") :])["jobs"][0]
    done, passed_ms = job["read"]["total_ios"], job["read"]["runtime"]
    return done / passed_ms * 1e3


def natively(desk, depth):
    words = [desk.linux, *words_of(desk, "null:", "null", depth)]
    words[words.index("runs.sqlite")] = "linux.sqlite"
    answer = subprocess.run(words, cwd=desk.folder, capture_output=True, text=True, timeout=180)
    if answer.returncode not in (0, 1):
        sys.exit(f"{words}: status {answer.returncode}\n{answer.stderr[-500:]}")
    return figures(answer.stdout)


def start(desk, words):
    """Seconds that a start takes, of several in a row."""
    began = time.monotonic()
    for _ in range(STARTS):
        wine(words, desk.folder)
    return (time.monotonic() - began) / STARTS


def in_pairs(desk, ours, theirs):
    """What each side measured, pair by pair, the sides in an order that is drawn for each."""
    sides = []
    for _ in range(desk.pairs):
        pair = {}
        for name, measure in random.sample([("ours", ours), ("theirs", theirs)], 2):
            pair[name] = measure()
        sides.append((pair["ours"], pair["theirs"]))
    return sides


def told(name, ratios, bound, at_least):
    """One line: the median of paired ratios against its bound."""
    middle = statistics.median(ratios)
    logs = [math.log(ratio) for ratio in ratios]
    spread = 100 * statistics.stdev(logs) if len(logs) > 1 else math.nan
    is_met = middle >= bound if at_least else middle <= bound
    sign = ">=" if at_least else "<="
    print(f"{name}: median of {len(ratios)} paired ratios {middle:.3f}, from {min(ratios):.3f} to {max(ratios):.3f}, "
          f"spread of a pair {spread:.1f} %; asked {sign} {bound}: {'met' if is_met else 'NOT MET'}", flush=True)


def fill(desk):
    path = os.path.join(desk.folder, "file.bin")
    if not os.path.exists(path):
        with open(path, "wb") as file:
            for _ in range(FILE_BYTES >> 20):
                file.write(os.urandom(1 << 20))


def ports(desk, depth):
    fill(desk)
    sides = in_pairs(desk, lambda: fathom(desk, "file.bin", "iocp", depth), lambda: bare(desk, depth))
    told(f"iocp beside the bare loop, depth {depth}, reads/s", [one[0] / two[0] for one, two in sides], 0.95, True)
    told(f"iocp beside the bare loop, depth {depth}, CPU time an I/O", [one[1] / two[1] for one, two in sides], 1.05, False)


def beside_fio(desk):
    if not desk.fio:
        print("fio: not measured: name a build for Windows with --fio FIO.EXE")
        return
    fill(desk)
    for words, without_thread, bound in (("", False, 1.5), (" without its completion thread", True, 1.05)):
        sides = in_pairs(desk, lambda: fathom(desk, "file.bin", "iocp", 32)[0], lambda: fio(desk, without_thread))
        told(f"iocp beside fio's windowsaio{words}, depth 32, reads/s", [one / two for one, two in sides], bound, True)


def null(desk):
    if not desk.linux:
        print("null: not measured: name a Linux build with --linux PROGRAM")
        return
    sides = in_pairs(desk, lambda: fathom(desk, "null:", "null", 32), lambda: natively(desk, 32))
    told("null:, CPU time an I/O by Wine over that on Linux", [one[1] / two[1] for one, two in sides], 1.3, False)


def clock(desk):
    """The processor's counter, which stamps the I/Os, against the system's own clock, over one run."""
    words = words_of(desk, "null:", "null", 1)
    words[words.index("--time") + 1] = f"{CLOCK_SECONDS}s"
    facts = json.loads(wine([desk.program, *words], desk.folder))["clock"]
    if facts["fallback_reason"] is not None:
        print(f"clock: the system's own is read: {facts['fallback_reason']}", flush=True)
        return
    ppm = abs(facts["drift_ppm"])
    print(f"clock: {facts['source']} {ppm:.1f} ppm from the system's over {CLOCK_SECONDS} s; asked <= {CLOCK_PPM_MAX:.0f}: "
          f"{'met' if ppm <= CLOCK_PPM_MAX else 'NOT MET'}", flush=True)


def starts(desk):
    sides = in_pairs(desk, lambda: start(desk, [desk.program, "--help"]), lambda: start(desk, ["hello.exe"]))
    told("time to --help beside a program that does nothing", [one / two for one, two in sides], 2.0, False)
    print(f"    medians: {1000 * statistics.median(one for one, _ in sides):.0f} ms and "
          f"{1000 * statistics.median(two for _, two in sides):.0f} ms")


CASES = {
    "ports-d32": lambda desk: ports(desk, 32),
    "ports-d1": lambda desk: ports(desk, 1),
    "fio": beside_fio,
    "null": null,
    "clock": clock,
    "start": starts,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=os.path.abspath)
    parser.add_argument("--linux", type=os.path.abspath)
    parser.add_argument("--fio", type=os.path.abspath)
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--seconds", type=int, default=3)
    parser.add_argument("--only", default=",".join(CASES))
    desk = parser.parse_args()
    unknown = [name for name in desk.only.split(",") if name not in CASES]
    if unknown or desk.pairs < 1 or desk.seconds < 1:
        parser.error(f"cases are {', '.join(CASES)}, and pairs and seconds at least 1: {unknown}")
    print(f"load {os.getloadavg()[0]:.1f} at the start")
    with tempfile.TemporaryDirectory() as desk.folder:
        for name, source in SOURCES.items():
            words = ["x86_64-w64-mingw32-gcc", "-O2", "-o", os.path.join(desk.folder, name), source]
            subprocess.run(words, check=True)
        # The first start of a Wine is that of its services too.
        wine(["hello.exe"], desk.folder)
        for name in desk.only.split(","):
            CASES[name](desk)
    print(f"load {os.getloadavg()[0]:.1f} at the end")


main()
