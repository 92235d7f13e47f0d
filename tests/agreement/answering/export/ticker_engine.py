"""Ticker's engine by the tests' model of its reasoners: `java -jar TICKER --program ...` as run.sh calls it.

After its sources (Engine, ReadFromStdIn, Messages): a clock ticks, a thread reads lines, one worker
after the other looks at the time that it then is. The environment variable LATE is a line's number,
which is read a tick and a half too late, as on a machine that has other things to do.
"""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Thread

from tests.lars.ticker.ticker_model import Ticker


class Engine:
    def __init__(self, ticker, tick):
        self.ticker, self.tick, self.now, self.lines, self.printed = ticker, tick, 0, {}, None
        self.worker = ThreadPoolExecutor(1)

    def evaluate(self):
        t = self.now
        answer = self.ticker.model([self.lines.get(u, "") for u in range(t + 1)], t)
        if answer != self.printed:
            self.printed = answer
            print(f"{t}s (t={t}): Set({', '.join(sorted(answer))})", flush=True)

    def append(self, line):
        self.lines[self.now] = ";".join(filter(None, (self.lines.get(self.now), line)))
        self.evaluate()

    def read(self):
        for number, line in enumerate(sys.stdin):
            time.sleep(1.5 * self.tick * (os.environ.get("LATE") == str(number)))
            self.worker.submit(self.append, line.rstrip())

    def run(self):
        Thread(target=self.read, daemon=True).start()
        while True:
            time.sleep(self.tick)
            self.now += 1
            self.worker.submit(self.evaluate)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-jar")
    parser.add_argument("--program", type=Path)
    parser.add_argument("--reasoner")
    parser.add_argument("--clock", type=lambda text: int(text.removesuffix("ms")))
    parser.add_argument("--outputEvery", choices=["change"])
    chosen = parser.parse_args()
    print("Ticker says other things too")
    Engine(Ticker(chosen.program.read_text(), chosen.reasoner, chosen.clock), chosen.clock / 1000).run()


if __name__ == "__main__":
    main()
