"""What is left of a .npy file when writing it is cut short.

  npy_write.py limit|kill FOLDER

limit: the size of files is limited, with the signal at its default. kill: loom-test is killed while it
writes. In both cases the file under the final name is absent, or the one that was there before, or
complete.
"""
import os
import resource
import signal
import subprocess
import sys
import time

import npy

SOURCE = """check.case @c {
  %%x = check.generate.fill value(7) : tensor<%dxi8>
  check.file.write.npy value(%%x) path("x.npy") mode(always) : tensor<%dxi8>
  check.return
}
"""


def names(folder):
    return sorted(name for name in os.listdir(folder) if name != "c.loom")


def prepare(folder, count):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "c.loom"), "w", encoding="utf-8") as file:
        file.write(SOURCE % (count, count))
    return ["loom-test", os.path.join(folder, "c.loom")]


def limit(folder):
    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

    def run(command):
        return subprocess.run(command, capture_output=True, text=True, preexec_fn=limited)

    done = run(prepare(folder, 1 << 20))
    assert done.returncode == 1, done
    assert "cannot write" in done.stderr and "File too large" in done.stderr, done.stderr
    assert '"failed_sample_count":1' in done.stdout, done.stdout
    assert names(folder) == [], names(folder)
    # A file that was there stays as it was.
    path = os.path.join(folder, "x.npy")
    npy.write(path, "|i1", (3,), b"abc")
    assert run(prepare(folder, 1 << 20)).returncode == 1
    assert names(folder) == ["x.npy"] and npy.read(path)[2] == b"abc"
    # What fits into the limit is written.
    assert run(prepare(folder, 1000)).returncode == 0
    assert names(folder) == ["x.npy"] and npy.read(path)[1:] == ((1000,), b"\7" * 1000)


def kill(folder):
    count = 64 << 20
    path = os.path.join(folder, "x.npy")
    command = prepare(folder, count)
    cut_short = 0
    for attempt in range(8):
        if attempt % 2:
            npy.write(path, "|i1", (3,), b"abc")
        elif os.path.exists(path):
            os.unlink(path)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while process.poll() is None:
            written = [name for name in names(folder) if name.endswith(".tmp")]
            if written and os.path.getsize(os.path.join(folder, written[0])) > 0:
                process.send_signal(signal.SIGKILL)
                break
        process.wait()
        if process.returncode == 0:
            data = npy.read(path)[2]
            assert len(data) == count
        else:
            cut_short += 1
            if attempt % 2:
                assert npy.read(path)[1] in ((3,), (count,)), "half of a file"
            elif os.path.exists(path):
                assert os.path.getsize(path) == count + 128, "half of a file"
        for name in names(folder):
            if name.endswith(".tmp"):
                os.unlink(os.path.join(folder, name))
    assert cut_short > 0, "writing was never cut short"
    if os.path.exists(path):
        os.unlink(path)


{"limit": limit, "kill": kill}[sys.argv[1]](sys.argv[2])
print("whole files only")
