"""Lines of a pipe or a connection become numbered files: each line once, the header in each file."""

import os
import socket
from threading import Thread

import pytest

from lars.errors import FailedRunError, LarsError
from solver.traces.spooling import forget_before, is_spooled, opened, spool, topic_of, write_lines
from tests.solver.spark.processes import waited


def files(folder):
    return {path.name: path.read_text() for path in sorted(folder.iterdir()) if path.name != "_header"}


def test_each_line_is_in_one_file_and_each_file_begins_with_the_header(tmp_path):
    reading, writing = os.pipe()
    put = spool(os.fdopen(reading, "rb"), tmp_path / "spool")
    with os.fdopen(writing, "wb") as pipe:
        assert put() is None
        assert files(tmp_path / "spool") == {}
        pipe.write(b"t,stream,s,p,o\n1,a:s,a:a,a:p,1\n")
        pipe.flush()
        waited(lambda: put() or files(tmp_path / "spool"))
        pipe.write(b"2,a:s,a:a,a:p,2\n3,a:s,a:a,a:p,3")
    waited(lambda: put() is not None)
    found = files(tmp_path / "spool")
    assert next(iter(found)) == "000000000000"
    assert all(text.startswith("t,stream,s,p,o\n") for text in found.values())
    rows = [line for text in found.values() for line in text.splitlines()[1:]]
    assert rows == [f"{n},a:s,a:a,a:p,{n}" for n in (1, 2, 3)]
    assert put() == len(found)


def test_a_header_behind_a_byte_order_mark_begins_each_file_too(tmp_path):
    header = b"\xef\xbb\xbft,s,p,o\r\n"
    first = write_lines(tmp_path, 0, [header, b"1,a:s,a:p,1\r\n"])
    later = write_lines(tmp_path, 1, [b"2,a:s,a:p,2\r\n"])
    assert first.read_bytes() == header + b"1,a:s,a:p,1\r\n"
    assert later.read_bytes() == header + b"2,a:s,a:p,2\r\n"


def test_a_later_run_goes_on_with_the_next_number_and_files_of_earlier_lines_can_go(tmp_path):
    for number, line in enumerate((b"one\n", b"two\n")):
        reading, writing = os.pipe()
        os.write(writing, line)
        os.close(writing)
        put = spool(os.fdopen(reading, "rb"), tmp_path)
        waited(lambda put=put: put() is not None)
        assert put() == number + 1
    assert files(tmp_path) == {"000000000000": "one\n", "000000000001": "two\n"}
    forget_before(tmp_path / "000000000001")
    assert files(tmp_path) == {"000000000001": "two\n"}


def test_the_lines_of_a_connection_are_read(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve():
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"one\ntwo\n")

        Thread(target=serve).start()
        put = spool(opened(f"tcp://127.0.0.1:{port}"), tmp_path)
        waited(lambda: put() is not None)
    assert "".join(files(tmp_path).values()) == "one\ntwo\n"


def test_lines_that_break_off_are_kept_and_it_is_said(tmp_path):
    def lines():
        yield b"one\n"
        raise ConnectionResetError(104, "Connection reset by peer")

    put = spool(lines(), tmp_path)
    with pytest.raises(FailedRunError, match="broke off: Connection reset by peer"):
        waited(lambda: put() is not None)
    assert "".join(files(tmp_path).values()) == "one\n"


def test_what_is_no_source_of_lines_is_said():
    assert all(map(is_spooled, ("-", "tcp://h:1", "kafka://h:9092/t")))
    assert not any(map(is_spooled, ("folder", "a/b", "ftp://h/t")))
    for wrong in ("tcp://host", "tcp://:5", "tcp://h:x", "tcp://[x"):
        with pytest.raises(LarsError, match=r"not an address; use tcp://HOST:PORT"):
            opened(wrong)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    for wrong in ("kafka://host/t", "kafka://h:9092", "kafka://h:9092/a b", "kafka://[::1/t"):
        with pytest.raises(LarsError, match=r"; use kafka://HOST:PORT/TOPIC"):
            topic_of(wrong)
    assert topic_of("tcp://h:1") is None
    with pytest.raises(LarsError, match=rf"--source tcp://127.0.0.1:{port}: cannot be reached"):
        opened(f"tcp://127.0.0.1:{port}")
