"""Served engines without the start of a Python for each: a process that has loaded `lars` forks for them.

`lars serve-engine` takes a second to load what it needs, and tests of what is done with an engine start some
hundreds. With the fixture `warm_engines`, an adapter is still a process of its own, with its pipes, folder,
environment and exit code; but it is this small program, for which a process that has loaded `lars` forks.
Tests of adapters themselves, of the command and of how it ends start each one afresh.
"""

import contextlib
import os
import socket
import sys

SERVED = [sys.executable, "-m", "agreement.cli", "serve-engine"]
QUERY = (
    "REGISTER RSTREAM <urn:o> AS SELECT ?s FROM NAMED WINDOW <urn:w> ON <urn:s> [RANGE 2 STEP 2] "
    "WHERE { WINDOW <urn:w> { ?s ?p ?o } }"
)


def started(popen, path):
    """Return what starts a process as `popen` does, and has a served engine forked at the socket `path`."""

    def start(words, **options):
        if words[:4] == SERVED:
            words = [sys.executable, "-I", "-S", __file__, str(path), *words[3:]]
        return popen(words, **options)

    return start


class WarmProcess:
    """The process that forks, which listens at a path as long as the block lasts."""

    def __init__(self, path):
        import subprocess
        from pathlib import Path

        root = str(Path(__file__).resolve().parents[1])
        self.process = subprocess.Popen(
            [sys.executable, "-P", __file__, str(path)],
            cwd=root,
            env={**os.environ, "PYTHONPATH": root},
            stdout=subprocess.PIPE,
        )
        assert self.process.stdout.readline() == b"ready\n"

    def end(self):
        self.process.kill()
        self.process.communicate()


def serve(path):
    """Load what a served engine needs, then fork for each connection."""
    import gc

    from agreement.cli import app

    own = os.dup(1)
    for number in (0, 1):
        reading, writing = os.pipe()
        if not number:
            os.write(writing, b'{"op": "open", "query": "%s"}\n' % QUERY.encode())
        os.dup2(writing if number else reading, number)
        os.close(reading)
        os.close(writing)
    sys.argv = ["lars", "serve-engine", "rspql"]
    app.run()
    gc.freeze()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(path)
        listening.listen(64)
        os.write(own, b"ready\n")
        os.close(own)
        parent = os.getppid()
        listening.settimeout(5)
        while os.getppid() == parent:  # who is killed ends nothing
            try:
                connection, _ = listening.accept()
            except TimeoutError:
                continue
            if not os.fork():
                listening.close()
                be_asked(app, connection)
            connection.close()
            reap()


def reap():
    """Take leave of the processes that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def be_asked(app, connection):
    """Be the process that was asked for, with its files, folder, environment and arguments."""
    told, files, _, _ = socket.recv_fds(connection, 1 << 20, 3)
    while not told.endswith(b"\0\0"):
        told += connection.recv(1 << 20)
    folder, count, *rest = os.fsdecode(told[:-2]).split("\0")
    os.setsid()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(one.split("=", 1) for one in rest[int(count) :])
    sys.argv = ["lars", *rest[: int(count)]]
    sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w", buffering=1)  # noqa: SIM115
    code = 1
    try:
        app.main()
    except SystemExit as end:
        code = end.code or 0
    finally:
        for each in (sys.stdout.flush, lambda: connection.send(bytes([code]))):
            with contextlib.suppress(OSError):  # nobody may be there any more
                each()
        os._exit(code)


def ask(path, arguments):
    """Have this process's files, folder, environment and arguments served; return the exit code."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(path)
        variables = [b"%s=%s" % one for one in os.environb.items()]
        words = [os.getcwdb(), b"%d" % len(arguments), *map(os.fsencode, arguments), *variables]  # noqa: PTH109 - fewer modules
        told = b"\0".join(words) + b"\0\0"
        sent = socket.send_fds(connection, [told], [0, 1, 2])
        connection.sendall(told[sent:])
        for number in range(3):
            os.close(number)  # others wait for their ends
        code = connection.recv(1)
    return code[0] if code else 1


if __name__ == "__main__":
    if len(sys.argv) > 2:
        os._exit(ask(sys.argv[1], sys.argv[2:]))
    serve(sys.argv[1])
