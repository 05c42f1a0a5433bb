"""Runs a command with a terminal as its standard error and prints what it wrote there.

  on_terminal.py COMMAND...

Its standard output is dropped. Escape codes are printed as `<esc>`, carriage returns as `<cr>`.
"""
import os
import pty
import subprocess
import sys

main, terminal = pty.openpty()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=terminal,
                           stdin=subprocess.DEVNULL)
os.close(terminal)
text = b""
while True:
    try:
        part = os.read(main, 65536)
    except OSError:  # the last one has closed the other end
        break
    if not part:
        break
    text += part
process.wait()
sys.stdout.write(text.decode().replace("\x1b", "<esc>").replace("\r\n", "\n").replace("\r", "<cr>"))
