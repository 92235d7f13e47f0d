"""An adapter that is broken in the way that its argument names, else right; it imports nothing of ours."""

import json
import os
import signal
import subprocess
import sys
import time

KIND = sys.argv[1] if len(sys.argv) > 1 else ""
PROFILE = {"ok": True, "engine": "toy-1.0"}
INTEGER = "http://www.w3.org/2001/XMLSchema#integer"


OPENED = []


def raw(data):
    """Write bytes as they are."""
    sys.stdout.buffer.write(data)
    sys.stdout.flush()


def put(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def forever(text):
    while True:
        put(text * 1000)


def reply(message):
    """Return the right reply: a report of the triple's object at each push."""
    if message["op"] == "open":
        PUSHED.clear()
        if KIND == "remembering":
            OPENED.append(message)
            return {"error": f"{'x' * 300}, query {len(OPENED)}"}
        return PROFILE
    if message["op"] != "push":
        return {"reports": []}
    term = message["triple"].split(" ", 2)[2].removesuffix(" .")
    return {"reports": [{"t": message["t"], "rows": [{"a": term}]}]}


def changed(message, old, new):
    """Return the reply with its term written otherwise."""
    return json.loads(json.dumps(reply(message)).replace(json.dumps(old)[1:-1], json.dumps(new)[1:-1]))


PUSHED = []


def all_pushed(message, label):
    """Return a report of the triples pushed so far, with a label for each blank node."""
    subject, _, term = message["triple"].removesuffix(" .").split(" ", 2)
    PUSHED.append({"s": subject, "a": label(term) if term.startswith("_:") else term})
    return {"reports": [{"t": message["t"], "rows": PUSHED}]}


def rows(row, t=1):
    return {"reports": [{"t": t, "rows": [row]}]}


def sleeper(**own):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], **own)


def fork(message):
    sleeper()
    sleeper(start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        time.sleep(600)
    put(json.dumps(reply(message)) + "\n")


ON_PUSH = {
    "silent": lambda _: time.sleep(600),
    "slow": lambda message: (time.sleep(2), put(json.dumps(reply(message)) + "\n")),
    "crashing": lambda _: (print("Traceback\nNo more memory", file=sys.stderr), os._exit(3)),
    "killed": lambda _: os.kill(os.getpid(), signal.SIGSEGV),
    "closing": lambda _: (os.close(1), time.sleep(600)),
    "talking": lambda _: forever("still working\n"),
    "endless": lambda _: forever("x" * 10),
    "nulls": lambda message: put(json.dumps({"error": None, "errors": None, **reply(message)}) + "\n"),
    "marked": lambda message: put("\ufeff" + json.dumps(reply(message)) + "\n"),
    "murmuring": lambda _: [(time.sleep(0.1), put("working\n")) for _ in range(100)],
    "half": lambda _: put('{"reports": [{"t": 1, \n'),
    "list": lambda _: put("[]\n"),
    "latin": lambda _: sys.stdout.buffer.write(b'{"reports": ["\xe9"]}\n') and sys.stdout.flush(),
    "key": lambda _: put('{"report": []}\n'),
    "no-list": lambda _: put('{"reports": "none"}\n'),
    "number": lambda _: put(json.dumps(rows({"a": 1})) + "\n"),
    "term": lambda _: put(json.dumps(rows({"a": "http://e/a"})) + "\n"),
    "variable": lambda _: put(json.dumps(rows({"?a": "<http://e/a>"})) + "\n"),
    "nan": lambda _: put(json.dumps(rows({}, float("nan"))) + "\n"),
    "huge": lambda _: put(json.dumps(rows({}, 1e308)) + "\n"),
    "bound": lambda _: put('{"reports": [{"t": 1, "rows": [], "window_from": 1}]}\n'),
    "fraction": lambda _: put(json.dumps(rows({}, 1.5)) + "\n"),
    "fraction-of-bound": lambda _: put(
        '{"reports": [{"t": 2, "rows": [], "window_from": 0.5, "window_to": 2}]}\n'
    ),
    "giving-up": lambda _: put('{"error": "out of memory"}\n'),
    "twice": lambda message: put((json.dumps(reply(message)) + "\n") * 2),
    "forking": fork,
    "mute": lambda _: put('{"reports": []}\n'),
    "bracketed": lambda message: put(
        json.dumps(reply(message) if message["stream"].startswith("<") else {"reports": []}) + "\n"
    ),
    "bare": lambda message: put(json.dumps(changed(message, f'"1"^^<{INTEGER}>', "1")) + "\n"),
    "plain": lambda message: put(json.dumps(changed(message, f"^^<{INTEGER}>", "")) + "\n"),
    "no-languages": lambda message: put(
        json.dumps({"reports": []} if "@en" in message["triple"] else reply(message)) + "\n"
    ),
    "blanks": lambda message: put(
        json.dumps(all_pushed(message, lambda term: f"{term}{len(PUSHED)}")) + "\n"
    ),
    "kept-blanks": lambda message: put(json.dumps(all_pushed(message, lambda term: f"{term}9")) + "\n"),
    "one-blank": lambda message: put(json.dumps(all_pushed(message, lambda _: "_:x")) + "\n"),
    "singly": lambda message: put(json.dumps({"reports": reply(message)["reports"] * 2}) + "\n"),
    "raw-surrogate": lambda _: raw(b'{"reports": [{"t": 1, "rows": [{"a": "\\"\xed\xa0\x80\\""}]}]}\n'),
    "surrogate": lambda _: put('{"reports": [{"t": 1, "rows": [{"a": "\\"\\ud83d\\""}]}]}\n'),
}
AT_CLOSE = {
    "crashing-at-close": ON_PUSH["crashing"],
    "leaving-at-close": lambda _: sys.exit(0),
    "silent-at-close": ON_PUSH["silent"],
}
PROFILES = {
    "unit": {"time_unit": "1 fortnight"},
    "unknown": {"timeunit": "1s"},
    "nameless": {"engine": ""},
    "no-kinds": {"kinds": False},
    "seconds": {"time_unit": "1s"},
    "stale": {"fresh": False},
    "nulls": {"error": None, "options": None, "pacing_ms": None},
}


def main():
    PROFILE.update(PROFILES.get(KIND, {}))
    if KIND == "dead":
        sys.exit("cannot find my engine")
    if KIND == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    for line in sys.stdin:
        message = json.loads(line)
        if KIND == "noisy":
            put("INFO engine: a message has come\n\n")
        if message["op"] == "close" and KIND in AT_CLOSE:
            AT_CLOSE[KIND](message)
        elif message["op"] == "push" and KIND in ON_PUSH:
            ON_PUSH[KIND](message)
        elif message["op"] == "push" and KIND == "no-kinds":
            put(json.dumps(rows({"a": "http://e/a", "b": "7", "c": None})) + "\n")
        else:
            put(json.dumps(reply(message)) + "\n")
    if KIND in ("deaf", "forking"):
        time.sleep(600)


if __name__ == "__main__":
    main()
