"""Transcripts of HBase's shell: reading them, running their commands in another shell, and comparing the output.

A transcript begins with `#! MODE OPTION=VALUE…`:

    pipe              one command at a time over pipes, with the rules of an interactive shell
    tty columns=N     the same on a terminal of this width
    script args=…     all commands as a script; the whole output and the exit status stand behind the last command
    stdin args=…      the same with the commands on standard input

`hbase> ` begins a command, `hbase+ ` is a further line of it, `hbase< ` what is typed when it asks something, `#: ` a
remark. The other lines are the output. `<now>`, `<ms>`, `<md5>`, `<host>` and the like stand for what a server or the
clock chooses.
"""
import difflib
import fcntl
import getpass
import os
import pathlib
import pty
import re
import select
import shlex
import socket
import struct
import subprocess
import tempfile
import termios
import time
from datetime import datetime, timezone

PROMPT = re.compile(r"(\n|^|)hbase:\d{3,}:\d+[>*'\"`/\]] ?$")
ECHOED = re.compile(r"^hbase:\d{3,}:\d+[>*'\"`/\]] ", re.M)
ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07")
DAY = 86_400
# Seconds until a shell that says nothing is given up.
PATIENCE = 120


class Transcript:
    """A mode, options, and steps: the lines that are typed, and the lines that were printed."""

    def __init__(self, path):
        self.name, self.mode, self.options, self.steps = path.stem, "pipe", {}, []
        for line in path.read_text().removesuffix("\n").split("\n"):
            if line.startswith("#! "):
                self.mode, *rest = line[3:].split()
                self.options = dict(word.split("=", 1) for word in rest)
            elif line.startswith("hbase> "):
                self.steps.append(([line[7:]], []))
            elif line.startswith("hbase+ "):
                self.steps[-1][0].append(line[7:])
            elif line.startswith("hbase< "):
                self.steps[-1][0].append("<" + line[7:])
            elif self.steps and not line.startswith("#: "):
                self.steps[-1][1].append(line)


def all_transcripts():
    """The transcripts beside this file."""
    return sorted((pathlib.Path(__file__).parent / "transcripts").glob("*.txt"))


def masked(text, command=""):
    """The output of a command without what a server or the clock chooses."""
    def today(found):
        stamp = found[1] if found[1].count(":") == 2 else found[1] + ":00"
        when = datetime.fromisoformat(stamp.split(".")[0]).replace(tzinfo=timezone.utc).timestamp()
        return "<now>" if abs(when - time.time()) < DAY else found[1]

    def recent(found):
        return "<ms>" if abs(int(found[0]) / 1000 - time.time()) < 30 * DAY else found[0]

    text = re.sub(r"Took -?\d+\.\d{4} seconds *", "Took <time> seconds", text)
    text = re.sub(r"\b(20\d\d-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:\.\d+)?)\b", today, text)
    text = re.sub(r"\b1[0-9]{12}\b", recent, text)
    text = re.sub(r"\b[0-9a-f]{32}\b", "<md5>", text)
    for host in {socket.gethostname(), socket.getfqdn(), "localhost", "127.0.0.1"}:
        text = re.sub(rf"(?<![\w.-]){re.escape(host)}(?=[:,])", "<host>", text)
    text = re.sub(r"<host>,\d+,(?:<ms>|\d+)", "<server>", text)
    text = re.sub(r"<host>:\d+ (?:<ms>|\d+)", "<host>:<port> <code>", text)
    text = re.sub(r"<host>:\d+", "<host>:<port>", text)
    text = re.sub(r",<ms>(\.<md5>\.)", r",<id>\1", text)
    text = re.sub(r"(#<[\w:]+:)0x[0-9a-f]+", r"\g<1><address>", text)
    text = re.sub(rf"\b{re.escape(getpass.getuser())} \(auth:", "<user> (auth:", text)
    text = re.sub(r"(?m)(^    groups: ).*$", r"\1<groups>", text)
    if re.match(r"status\b", command) and "ERROR: " not in text:
        text = re.sub(r'(?m)^ {8}"(?!sh_|hbase:meta).*\n {12}.*\n', "", text)
        text = re.sub(r"(?<=[=:\s])\d+(?:\.\d+)?(?=[,\s]|$)", "<n>", text)
        text = re.sub(r"\d+\.\d{4} average load", "<n> average load", text)
        text = re.sub(r"version <n>|version \S+", "version <version>", text)
    return text


class Running:
    """A shell over pipes, or on a terminal of a given width."""

    def __init__(self, command, columns=None, folder=None):
        environment = dict(os.environ, TZ="UTC", TERM="xterm", LANG="C.UTF-8", HOME=str(folder))
        environment.pop("COLUMNS", None)
        self.terminal = columns is not None
        self.text, self.ended = "", False
        if self.terminal:
            master, slave = pty.openpty()
            fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
            self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, env=environment, cwd=folder,
                                            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
            os.close(slave)
            self.input = self.output = master
        else:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                            env=environment, cwd=folder)
            self.input, self.output = self.process.stdin.fileno(), self.process.stdout.fileno()

    def send(self, line, end="\n"):
        """Types a line, or with end="" characters."""
        os.write(self.input, (line + end).encode())

    def read(self, done):
        """The text until `done` says that it is complete, or until the shell ends."""
        until = time.monotonic() + PATIENCE
        while not done(self.text):
            ready, _, _ = select.select([self.output], [], [], max(0, until - time.monotonic()))
            assert ready, f"the shell has said nothing for {PATIENCE} s; so far: {self.text!r}"
            try:
                data = os.read(self.output, 65536)
            except OSError:  # the other end of the terminal is closed
                data = b""
            if not data:
                self.ended = True
                break
            self.text += ANSI.sub("", data.decode("utf-8", "surrogateescape")).replace("\r\n", "\n")
        text, self.text = self.text, ""
        return text

    def close(self):
        """Ends the input and waits for the shell; returns its exit status."""
        try:
            os.close(self.input) if self.terminal else self.process.stdin.close()
        except OSError:
            pass
        try:
            return self.process.wait(60)
        finally:
            self.process.kill()
            if not self.terminal:
                self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def at_prompt(text):
    """Whether the shell waits for a new statement."""
    found = PROMPT.search(text)
    return bool(found) and found[0].endswith(":0> ")


def cleaned(text, typed):
    """The output of one command: without the echo of what was typed and the prompts around it."""
    found = PROMPT.search(text)
    broken = found and found.start() and not found[1]
    lines = PROMPT.sub("\n", text).split("\n")
    for line in typed:
        wanted = line[1:] if line.startswith("<") else line
        if lines and ECHOED.sub("", lines[0]).replace(" \r", "").strip() == wanted.strip():
            lines.pop(0)
    while lines and lines[-1] == "":
        lines.pop()
    return lines + ["[no line break]"] * bool(broken and lines)


def interactive(transcript, command, folder):
    """Runs one command after the other; the outputs."""
    columns = int(transcript.options["columns"]) if transcript.mode == "tty" else None
    outputs = []
    with Running(command, columns, folder) as shell:
        banner = shell.read(at_prompt)
        for typed, _ in transcript.steps:
            if typed[0] == "(start)":
                outputs.append(PROMPT.sub("\n", banner).strip("\n").split("\n"))
                continue
            text = ""
            for at, line in enumerate(typed):
                shell.send(line.removeprefix("<") if at else line)
                if at + 1 == len(typed):
                    text += shell.read(at_prompt)
                elif typed[at + 1].startswith("<"):
                    text += shell.read(lambda t: t.rstrip().endswith("(y/n)?") or at_prompt(t))
            outputs.append(cleaned(text, typed))
    return outputs


def whole(transcript, command, folder):
    """Runs all commands as a script or on standard input; the output and the exit status."""
    source = folder / "script.rb"
    source.write_text("".join(f"{line}\n" for typed, _ in transcript.steps for line in typed))
    words = [*command, *shlex.split(transcript.options.get("args", "").replace(",", " "))]
    fed = transcript.mode == "stdin"
    with open(source if fed else os.devnull) as given:
        done = subprocess.run(words if fed else [*words, "script.rb"], cwd=folder, stdin=given, capture_output=True, text=True,
                              env=dict(os.environ, TZ="UTC", HOME=str(folder)), timeout=PATIENCE)
    return [*(done.stdout.removesuffix("\n").split("\n") if done.stdout else []), f"[exit status {done.returncode}]"]


def replay(transcript, command):
    """Runs a transcript's commands; what was typed, recorded and printed for each."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "splits.txt").write_text("b\nm\nx\n")
        if transcript.mode in ("script", "stdin"):
            further = {line for typed, _ in transcript.steps for line in typed[1:]}
            # The prompts of further lines do not count: HBase leaves them out sometimes.
            plain = lambda lines: [rest if (rest := ECHOED.sub("", line)) in further else line for line in lines]
            printed = masked("\n".join(whole(transcript, command, folder))).split("\n")
            typed = [line for lines, _ in transcript.steps for line in lines]
            return [(typed, plain(transcript.steps[-1][1]), plain(printed))]
        outputs = interactive(transcript, command, folder)
    printed = [masked("\n".join(lines), typed[0]) for (typed, _), lines in zip(transcript.steps, outputs)]
    return [(typed, recorded, text.split("\n") if text else []) for (typed, recorded), text in zip(transcript.steps, printed)]


# What need not be the same: how Ruby shows Java's objects, and errors in JRuby's words.
OBJECT = re.compile(r"=> #<(Java::|Proc:)")
WORDS = re.compile(r"ERROR: .*(org\.jruby|Java::|java\.lang\.|Cannot invoke|no method '|cannot convert instance|could not coerce|undefined method|"
                   r"comparison of |exceed the capacity of)")
SYNTAX = re.compile(r"(ERROR SyntaxError: |SyntaxError \()")
GUESS = "Did you mean?  "
NEXT = re.compile(r"hbase:\d{3,}:|Traceback |\[exit status ")


def gist(lines):
    """The lines without Java's stacks and Ruby's guesses at names, the further lines of an error joined to it."""
    out, guess = [], False
    for line in lines:
        guess = line.startswith(GUESS) or guess and line.startswith(" " * len(GUESS))
        if guess or line == "<java stack>" or line.startswith(("Caused by: ", "\t... ", "\tat ")):
            continue
        if out and (out[-1].startswith("ERROR: ") and line or SYNTAX.match(out[-1]) and not NEXT.match(line)):
            out[-1] += "\n" + line
        else:
            out.append(line)
    return out


def alike(typed, recorded, printed):
    """Whether an output is the recorded one."""
    if re.match(r"(\w+\.)?(table_)?help\b", typed[0]):
        status = [[line for line in lines if line.startswith("[exit status ")] for lines in (recorded, printed)]
        return status[0] == status[1] and (len(recorded) > len(status[0])) == (len(printed) > len(status[1]))
    recorded, printed = gist(recorded), gist(printed)
    return len(recorded) == len(printed) and all(
        a == b or OBJECT.match(a) and b.startswith("=> ") or WORDS.match(a) and b.startswith("ERROR: ")
        or SYNTAX.match(a) and b.startswith(SYNTAX.match(a)[0]) for a, b in zip(recorded, printed))


def differences(transcript, command, leaving_out=()):
    """What differs when the commands run now, as text; empty if nothing does. Some commands may be left out."""
    found = []
    for typed, recorded, printed in replay(transcript, command):
        if typed[0] not in leaving_out and not alike(typed, recorded, printed):
            diff = difflib.unified_diff(recorded, printed, "recorded", "now", lineterm="", n=2)
            found.append("\n".join(["hbase> " + typed[0], *diff]))
    return "\n\n".join(found)
