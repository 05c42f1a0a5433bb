#!/usr/bin/env python3
"""Checks the completions and man pages that the tools print.

  shell_files.py FOLDER TOOL...

FOLDER is for files of the test. bash has to be there; zsh, fish, mandoc and man are used where they
are installed, and what was not checked is said at the end.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time

FAILURES = []
SKIPPED = []


def check(condition, message):
    if not condition:
        FAILURES.append(message)


def output(*command, **options):
    done = subprocess.run(command, capture_output=True, text=True, **options)
    check(done.returncode == 0, f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout


def write_files(folder, tool):
    """The four files of a tool, named as they are installed."""
    names = {"bash": tool, "zsh": "_" + tool, "fish": tool + ".fish", "man": tool + ".1"}
    paths = {}
    for form, name in names.items():
        paths[form] = os.path.join(folder, form, name)
        os.makedirs(os.path.dirname(paths[form]), exist_ok=True)
        with open(paths[form], "w", encoding="utf-8") as file:
            file.write(output(tool, f"--print-flags={form}"))
    return paths


def flags_of(tool):
    """Name, form of the value, and whether it is refused, from the table of the reference."""
    rows = output(tool, "--print-flags=markdown").splitlines()[2:]
    result = []
    for row in rows:
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]
        value = cells[1].split("`")[1].replace("\\|", "|") if "`" in cells[1] else ""
        result.append((cells[0].strip("`"), value, cells[3].startswith("Not in this build")))
    return result


# ---- bash -----------------------------------------------------------------

DRIVER = r"""
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
specification=$(complete -p "$1")
function=${specification#*-F }
${function%% *} "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\n' "${COMPREPLY[@]}"
"""


def complete(path, folder, *words):
    """What bash offers for the last word, sorted."""
    text = output("bash", "--norc", "-c", DRIVER, "driver", path, *words, cwd=folder)
    return sorted(line for line in text.splitlines() if line)


def check_bash(tool, path, flags, folder):
    output("bash", "-n", path)
    offered = complete(path, folder, tool, "--")
    expected = sorted(name + ("" if form == "true|false" else "=")
                      for name, form, refused in flags if not refused)
    check(offered == expected, f"{tool} --: {offered}, expected {expected}")
    for name, form, refused in flags:
        if refused or name in ("--help", "--version"):
            continue
        choices = sorted(w for w in form.split("|") if re.fullmatch(r"[a-z][a-z0-9-]*", w))
        files = sorted(os.listdir(folder)) if re.search("PATH|FILE", form) else []
        for words in ([name, "=", ""], [name, "="], [name + "="]):
            got = [w.removeprefix(name + "=") for w in complete(path, folder, tool, *words)]
            check(got == (choices or files), f"{tool} {words}: {got}, expected {choices or files}")
        if form != "true|false":
            got = complete(path, folder, tool, name.replace("-", "_").replace("__", "--", 1), "")
            check(got == (choices or files), f"{tool} {name} in two words: {got}")
        if choices:
            first = choices[0]
            got = complete(path, folder, tool, name, "=", first[:-1])
            check(first in got and all(w.startswith(first[:-1]) for w in got),
                  f"{tool} {name}={first[:-1]}: {got}")


# ---- interactive shells ------------------------------------------------------

class Terminal:
    """An interactive shell, as a user has it."""

    def __init__(self, *command):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM="dumb", PS1="> ", INPUTRC="/dev/null", HISTFILE="/dev/null")
            os.execvp(command[0], command)

    def send(self, text):
        os.write(self.descriptor, text.encode())

    def wait_for(self, pattern, what):
        """Reads until `pattern` appears; a shell that never shows it is a failure, not a hang."""
        seen, limit = "", time.monotonic() + 60
        while not re.search(pattern, seen):
            left = limit - time.monotonic()
            if left <= 0 or not select.select([self.descriptor], [], [], left)[0]:
                check(False, f"{what}: {seen!r}")
                return seen
            try:
                seen += os.read(self.descriptor, 65536).decode(errors="replace")
            except OSError:
                check(False, f"{what}: the shell ended: {seen!r}")
                return seen
        return seen

    def close(self):
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)


def check_sessions(paths):
    """loom-format in a bash and a zsh with a keyboard."""
    bash = Terminal("bash", "--norc", "--noprofile", "-i")
    bash.send(f"source {paths['bash']}; bind 'set show-all-if-ambiguous on'; "
              "bind 'set completion-query-items 0'; bind 'set bell-style none'; echo rea''dy\n")
    bash.wait_for(r"ready\r?\n", "bash starts")
    bash.send("loom-format --in-p\t--to=byte\t#")
    bash.wait_for(r"--in-place --to=bytecode *#", "a flag and its value in bash")
    bash.send("\x15loom-format --to=\t")
    bash.wait_for(r"bc\s+bytecode\s+text", "the list of values in bash")
    bash.close()
    if not shutil.which("zsh"):
        SKIPPED.append("zsh")
        return
    output("zsh", "-n", paths["zsh"])
    zsh = Terminal("zsh", "-f", "-i")
    zsh.send(f"fpath=({os.path.dirname(paths['zsh'])} $fpath); autoload -U compinit; "
             "compinit -u -D; echo rea''dy\n")
    zsh.wait_for(r"ready\r?\n", "zsh starts")
    zsh.send("loom-format --outp\t\x15loom-format --to=byte\t#")
    zsh.wait_for(r"--to=bytecode[ \x08]*#", "a value in zsh")
    zsh.close()


def check_fish(paths):
    if not shutil.which("fish"):
        SKIPPED.append("fish")
        return
    for path in paths.values():
        output("fish", "--no-execute", path["fish"])
    folder = os.path.dirname(paths["loom-format"]["fish"])
    for line, expected in (("loom-format --to=", {"--to=text", "--to=bc", "--to=bytecode"}),
                           ("loom-format --in-pl", {"--in-place"}),
                           ("loom-compile-report sh", {"show"})):
        text = output("fish", "--no-config", "-c",
                      f"set fish_complete_path {folder}; complete -C '{line}'")
        got = {entry.split("\t")[0] for entry in text.splitlines()}
        check(expected <= got, f"fish: {line}: {got}")


# ---- man --------------------------------------------------------------------

def check_man(tool, path, flags):
    with open(path, encoding="utf-8") as file:
        page = file.read()
    check(page.startswith(f'.TH {tool.upper()} 1 "" "Loom '), f"{path}: no title")
    sections = re.findall(r"^\.SH (.*)$", page, re.M)
    check(sections == ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"],
          f"{path}: {sections}")
    named = re.findall(r"^\\fB\\-\\-([^\\]*(?:\\-[^\\]*)*)\\fR", page, re.M)
    check(["--" + name.replace("\\-", "-") for name in named] == [name for name, _, _ in flags],
          f"{path}: flags {named}")
    requests = set(re.findall(r"^\.(\w*)", page, re.M))
    check(requests <= {"TH", "SH", "PP", "TP", "B", "ad", "br"}, f"{path}: requests {requests}")
    if shutil.which("mandoc"):
        output("mandoc", "-T", "lint", "-W", "error", path)
    elif "mandoc" not in SKIPPED:
        SKIPPED.append("mandoc")
    if shutil.which("man"):
        done = subprocess.run(["man", "--warnings", "-l", path], capture_output=True, text=True,
                              env={**os.environ, "MANPAGER": "cat", "MANWIDTH": "80"})
        check(done.returncode == 0 and not done.stderr and re.search(f"{tool} +- ", done.stdout),
              f"man: {done.stderr}{done.stdout[:200]}")
    elif "man" not in SKIPPED:
        SKIPPED.append("man")


def main():
    folder, *tools = sys.argv[1:]
    shutil.rmtree(folder, ignore_errors=True)
    work = os.path.join(folder, "work")
    os.makedirs(work)
    for name in ("a file.loom", "b.json"):
        open(os.path.join(work, name), "w", encoding="utf-8").close()
    paths = {}
    for tool in tools:
        paths[tool] = write_files(folder, tool)
        flags = flags_of(tool)
        check_bash(tool, paths[tool]["bash"], flags, work)
        check_man(tool, paths[tool]["man"], flags)
    check_sessions(paths["loom-format"])
    check_fish(paths)
    got = complete(paths["loom-compile-report"]["bash"], work, "loom-compile-report", "sh")
    check(got == ["show"], f"the first word of loom-compile-report: {got}")
    got = complete(paths["loom-format"]["bash"], work, "loom-format", "--", "")
    check(got == ["a file.loom", "b.json"], f"behind --: {got}")
    for failure in FAILURES:
        print(failure)
    if FAILURES:
        sys.exit(1)
    print(f"{len(tools)} tools" + (f"; not installed: {', '.join(SKIPPED)}" if SKIPPED else ""))


main()
