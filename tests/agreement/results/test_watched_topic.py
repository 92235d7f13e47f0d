"""`lars watch` of a topic of a real broker of Kafka: killed, continued, with the tables of `lars agree`."""

import os
import signal
import socket
import subprocess
import sys
from base64 import urlsafe_b64encode
from contextlib import contextmanager, suppress
from uuid import uuid4

from tests.agreement.comparing.watch.batches import HEADER, rows_of, written
from tests.agreement.comparing.watch.test_watch import PULL, PUSH, P, Q
from tests.agreement.results.test_watched import LARS, states, without
from tests.packs import PACKS, ROOT, pack
from tests.solver.spark.processes import waited

BROKER, SPARK = (PACKS["kafka"].folder / name for name in ("broker", "spark"))
SETTINGS = """process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{other}
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{other}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={logs}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
"""
SEND = """
import sys
from pathlib import Path
from pyspark.sql import SparkSession
address, jars, text = sys.argv[1:]
session = SparkSession.builder.master("local[1]").config("spark.jars", jars).getOrCreate()
rows = [(n, line) for n, line in enumerate(Path(text).read_text().splitlines())]
made = session.createDataFrame(rows, "n int, value string").coalesce(1)
lines = made.sortWithinPartitions("n").select("value")
lines.write.format("kafka").option("kafka.bootstrap.servers", address).option("topic", "door").save()
"""
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def free_ports():
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        return one.getsockname()[1], other.getsockname()[1]


@contextmanager
def broker(folder):
    """Start a broker of one node; yield its address."""
    port, other = free_ports()
    settings = folder / "server.properties"
    settings.write_text(SETTINGS.format(port=port, other=other, logs=folder / "logs"))
    java = ["java", "-Xmx256m", "-cp", f"{BROKER}/*"]
    name = urlsafe_b64encode(uuid4().bytes).decode().rstrip("=")
    made = [*java, "kafka.tools.StorageTool", "format", "-t", name, "-c", str(settings)]
    subprocess.run(made, check=True, capture_output=True)
    with (folder / "broker.txt").open("w") as log:
        running = subprocess.Popen([*java, "kafka.Kafka", str(settings)], stdout=log, stderr=log)

    def answers():
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True

    try:
        waited(answers, pause=0.2)
        yield f"127.0.0.1:{port}"
    finally:
        running.kill()
        running.wait()


def send(folder, address, lines):
    text = folder / "sent.txt"
    text.write_text("".join(f"{line}\n" for line in lines))
    jars = ",".join(map(str, sorted(SPARK.glob("*.jar"))))
    sent = [sys.executable, "-c", SEND, address, jars, str(text)]
    subprocess.run(sent, check=True, capture_output=True, env=ENVIRONMENT)


def elements():
    """Return elements in the order of arrival, some of them one time point late."""
    times = [t for n in range(1, 60) for t in ((n, n) if n % 5 else (n + 1, n))]
    parts = ((t, "http://e/s", f"http://e/{n % 3}", (P, Q)[n % 4 == 0], "1") for n, t in enumerate(times))
    return [row for n, row in enumerate(parts) if n % 7 < 3]


@pack("kafka")
def test_a_watched_topic_is_read_once_and_its_tables_are_those_of_a_comparison_of_the_whole(tmp_path):
    (tmp_path / "pull.rq").write_text(PULL)
    (tmp_path / "push.rq").write_text(PUSH)
    rows = elements()
    lines = [",".join(map(str, row)) for row in (HEADER, *rows)]
    half = len(lines) // 2
    with broker(tmp_path) as address:
        send(tmp_path, address, lines[:half])
        queries = [*LARS, "watch", "pull.rq", "push.rq", "--period", "2", "--delay", "1"]
        source = ["--source", f"kafka://{address}/door", "--jars", str(SPARK), "--master", "local[1]"]
        watch = [*queries, *source, "--checkpoint", "kept", "--out", "out"]
        how = {"cwd": tmp_path, "env": ENVIRONMENT, "text": True}
        with (tmp_path / "first.txt").open("w") as log:
            begun = [*watch, "--pause", "0.1"]
            first = subprocess.Popen(begun, stdout=log, stderr=log, start_new_session=True, **how)
            waited(lambda: "batch-0" in states(tmp_path), pause=0.05)
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()
        send(tmp_path, address, lines[half:])
        second = subprocess.run([*watch, "--once"], check=False, capture_output=True, **how)
    assert second.returncode == 1, second.stderr
    assert f"{len(rows)} elements read, 0 too late" in second.stdout
    end = (max(t for t, *_ in rows) - 2) // 2 * 2
    written(tmp_path / "whole.csv", sorted(rows))
    whole = [*LARS, "agree", "pull.rq", "push.rq", "whole.csv", "--in-process", "--to", str(end)]
    options = ["--period", "2", "--out", "agree", "--out-format", "csv", "--quiet"]
    subprocess.run([*whole, *options], check=False, capture_output=True, **how)
    for name, left_out in (("periods", "empty"), ("differences", "pushed")):
        expected, found = rows_of(tmp_path / "agree", name), rows_of(tmp_path / "out", name)
        assert without(found, left_out) == without(expected, left_out)
        assert len(found) > 1
