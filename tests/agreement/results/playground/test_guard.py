"""In a guarded process nothing outside is opened, changed, started or asked; its own files stay usable."""

import json
import subprocess
import sys

import pytest

ATTEMPTS = {
    "open('/etc/passwd')": False,
    "open(folder + '/../secret')": False,
    "__import__('pathlib').Path('/etc/hostname').read_bytes()": False,
    "__import__('os').open('/etc/passwd', 0)": False,
    "open(folder + '/link')": False,
    "open('/tmp/lars-play-written', 'w')": False,
    "open(sys.executable + '.new', 'wb')": False,
    "__import__('os').listdir('/')": False,
    "__import__('os').remove('/tmp/nobody-has-this')": False,
    "__import__('os').rename(folder + '/own', '/tmp/lars-play-moved')": False,
    "__import__('os').symlink('/etc/passwd', '/tmp/lars-play-link')": False,
    "__import__('subprocess').run(['id'])": False,
    "__import__('os').system('id')": False,
    "__import__('os').popen('id')": False,
    "__import__('os').execv('/bin/true', ['true'])": False,
    "__import__('os').fork()": False,
    "__import__('os').posix_spawn('/bin/true', ['true'], {})": False,
    "__import__('socket').create_connection(('127.0.0.1', 9))": False,
    "__import__('socket').getaddrinfo('localhost', 80)": False,
    "__import__('socket').socket().bind(('127.0.0.1', 0))": False,
    "__import__('urllib.request').request.urlopen('http://127.0.0.1:9/')": False,
    "__import__('urllib.request').request.urlopen('file:///etc/passwd')": False,
    "open(folder + '/own').read()": True,
    "open(folder + '/new', 'w')": True,
    "__import__('tempfile').TemporaryDirectory()": True,
    "__import__('colorsys')": True,
    "__import__('agreement.proving.phase')": True,
}
SCRIPT = """
import json, os, sys, tempfile
from pathlib import Path
sys.path[:] = json.loads(sys.argv[1])
from agreement.results.playground.guard import guard
folder = sys.argv[2]
os.symlink('/etc/passwd', folder + '/link')
open(folder + '/own', 'w').write('own')
guard(Path(folder))
ends = {}
for code in json.loads(sys.argv[3]):
    try:
        eval(code)
        ends[code] = True
    except PermissionError as error:
        ends[code] = False
    except Exception as error:
        ends[code] = "outside the experiment" not in str(error) and repr(error)
print(json.dumps(ends))
"""


def test_only_own_files_are_open_to_a_guarded_process(tmp_path):
    command = [sys.executable, "-c", SCRIPT, json.dumps(sys.path), tmp_path, json.dumps(list(ATTEMPTS))]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == ATTEMPTS


@pytest.mark.parametrize("bound", ["RLIMIT_FSIZE", "RLIMIT_NOFILE", "RLIMIT_CORE"])
def test_a_guarded_process_has_bounds(bound, tmp_path):
    script = (
        "import resource, sys, json; from pathlib import Path; sys.path[:] = json.loads(sys.argv[1]);"
        "from agreement.results.playground.guard import guard; guard(Path(sys.argv[2]));"
        f"print(*resource.getrlimit(resource.{bound}))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, json.dumps(sys.path), tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert all(0 <= int(limit) <= 2**26 for limit in ran.stdout.split())
