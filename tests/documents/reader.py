"""A reader of one document: pastes its blocks in order, into a shell and an interpreter in a fresh clone."""
import contextlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

from serving import ROOT, binary
from stand_ins import CARGO, LIBRARIES, NOT_RUN, PORTS, REPLACED, TOOLS

LIMIT_SECONDS = 600
SERVES = re.compile(r"(^|/|\s)(hjall serve|make run)\b")
LISTENING = re.compile(r"hjall listening on \S+?:\d+")
NUMBER = re.compile(r"\d[\d.,]*")
# Folders and files of the tools' settings and caches, which the reader has too.
HOME_OF_TOOLS = (".m2", ".npmrc", ".npm", ".config", ".cache", "go", ".pip")


class Skipped(Exception):
    """A block cannot be run here; the text says why."""


class Failed(Exception):
    """A block does not do what the document says."""


def free_ports(count):
    """Ports that no program listens on."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


class Reader:
    """A shell and an interpreter in a copy of the repository, with a home folder of their own."""

    def __init__(self, page):
        self.page = page
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hjall-document-"))
        self.home, self.clone = self.folder / "home", self.folder / "hjall"
        self.cwd = self.clone
        self.ports = dict(zip(PORTS, map(str, free_ports(len(PORTS)))))
        self.servers, self.session, self.broken = [], None, None
        self.prepare()

    # -- the machine --------------------------------------------------------------------------------

    def prepare(self):
        """Makes the clone, the home folder and the stand-ins."""
        self.home.mkdir()
        for name in HOME_OF_TOOLS:
            if (pathlib.Path.home() / name).exists():
                (self.home / name).symlink_to(pathlib.Path.home() / name)
        listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                                capture_output=True, text=True, check=True).stdout
        for name in filter(None, listed.split("\0")):
            if (ROOT / name).is_file():
                (self.clone / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, self.clone / name)
        for example in (self.clone / "examples").glob("*.py"):
            example.write_text(self.with_ports(example.read_text()))
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "cargo").write_text(CARGO)
        (tools / "cargo").chmod(0o755)
        (tools / "hjall").symlink_to(binary().resolve())
        # What `pip install ./python` and `make build-python` would build.
        built = binary().resolve().parent
        native = built / "lib_native.so"
        if native.exists():
            (self.clone / "python/src/hjall/_native.abi3.so").symlink_to(native)
        (self.clone / "node_modules").mkdir()
        (self.clone / "node_modules" / "hjall").symlink_to("../node")
        for module in (ROOT / "node").glob("hjall.*.node"):
            (self.clone / "node" / module.name).symlink_to(module)
        packages = next((ROOT / ".venv" / "lib").glob("python3*")) / "site-packages"
        self.install_package(self.folder / "installed")
        inherited = {k: v for k, v in os.environ.items() if not k.startswith(("HJALL_", "PYTEST_", "CARGO_", "MAKE", "MFLAGS"))}
        self.environment = {
            **inherited,
            "HOME": str(self.home),
            "PATH": f"{tools}:{self.home}/.cargo/bin:{ROOT}/.venv/bin:{os.environ['PATH']}",
            "BUILT": str(built),
            "CARGO_TARGET_DIR": str(self.folder / "target"),
            "LISTEN": f"127.0.0.1:{self.ports['9090']}",
            "HJALL_INFO_PORT": self.ports["9095"],
            # Without a terminal, the shell cannot ask for the password.
            "HJALL_PASSWORD": "secret",
            # `pip install` finds what the tests have installed, and needs no network for it.
            "PYTHONPATH": f"{self.clone}/python/src:{self.folder}/installed:{packages}",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "npm_config_prefer_offline": "true",
            "npm_config_audit": "false",
            "npm_config_fund": "false",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    @staticmethod
    def install_package(folder):
        """Writes the metadata of the Python package, by which pytest finds its plugin. Stands for `pip install`."""
        metadata = folder / "hjall-0.dist-info"
        metadata.mkdir(parents=True)
        (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: hjall\nVersion: 0\n")
        (metadata / "entry_points.txt").write_text("[pytest11]\nhjall = hjall.pytest_plugin\n")

    def with_ports(self, text):
        """The text with the ports of this page."""
        for port, other in self.ports.items():
            text = re.sub(rf"(?<![\d.]){port}(?!\d)", other, text)
        # HappyBase's and HBase's default port.
        return re.sub(r'(happybase\.Connection|aiohappybase\.Connection)\((["\'])(127\.0\.0\.1|localhost)\2',
                      rf'\1(\2\3\2, port={self.ports["9090"]}', text)

    # -- blocks -------------------------------------------------------------------------------------

    def paste(self, block):
        """Does with a block what a reader does. Raises `Skipped` or `Failed`."""
        if self.broken and not block.not_run:
            raise Failed(f"not pasted, because {self.broken} failed")
        try:
            if block.language == "console":
                self.console(block)
            elif block.file_name:
                path = self.cwd / block.file_name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(self.with_ports(block.text))
            elif block.language == "python":
                self.python(block)
            elif block.language == "js":
                path = self.cwd / f"block{block.line}.mjs"
                path.write_text(self.with_ports(block.text))
                said = self.run(f"node --preserve-symlinks --preserve-symlinks-main {path.name}", block)
                self.compare(block, re.findall(r"console\.log\(.*\);.*?// (.*)$", block.text, re.M), said)
            elif block.language in ("sh", "bash"):
                self.run(self.with_ports(block.text), block)
            else:
                raise Failed("no way to run this language: name the file on the first line, or note how it is tested")
        except Failed:
            self.broken = self.broken or block
            raise

    def python(self, block):
        """Runs a block in the interpreter of the page."""
        if self.session is None:
            self.session = subprocess.Popen([sys.executable, "-u", pathlib.Path(__file__).parent / "session.py"], cwd=self.cwd,
                                            env=self.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        request = {"name": block.page, "line": block.line, "code": self.with_ports(block.text)}
        self.session.stdin.write(json.dumps(request) + "\n")
        self.session.stdin.flush()
        answer = self.session.stdout.readline()
        error = json.loads(answer)["error"] if answer else "the interpreter ended"
        if error:
            raise Failed(error)

    def console(self, block):
        """Runs the commands of a block, and compares what they print if the document shows it."""
        for command, _ in commands(block.text):
            self.check_tools(command)
        for command, expected in commands(block.text):
            if any(line.startswith(">>> ") for line in expected):
                self.doctest(command, expected, block)
                continue
            bare = re.sub(r"\s+#\s.*$", "", command, flags=re.M).strip()
            if any(re.fullmatch(pattern, bare, re.S) for pattern in NOT_RUN):
                continue
            for pattern, replacement in REPLACED:
                command = pattern.sub(replacement, command)
            command = self.with_ports(command)
            if SERVES.search(bare):
                self.serve(command, block)
            else:
                self.compare(block, [line for line in expected if line.strip()], self.run(command, block))

    def check_tools(self, command):
        """Raises `Skipped` if a command names a tool that is not installed."""
        for word in set(re.findall(r"(?:^|[\s;&|(])([\w+-]+)(?=\s|$)", command)) & TOOLS.keys():
            if not shutil.which(word, path=self.environment["PATH"]):
                raise Skipped(f"{word} is not installed ({TOOLS[word]})")
            if word in LIBRARIES and subprocess.run(LIBRARIES[word], shell=True, capture_output=True).returncode:
                raise Skipped(f"what {word} needs is not installed ({TOOLS[word]})")

    def run(self, command, block):
        """Runs a command in the shell; returns its output. Passwords that it asks for are `secret`."""
        ended = self.folder / "cwd"
        done = subprocess.run(["bash", "-c", f"{command}\ncode=$?; pwd > {shlex.quote(str(ended))}; exit $code"], cwd=self.cwd,
                              env=self.environment, input="secret\n", text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=LIMIT_SECONDS)
        if done.returncode:
            raise Failed(f"$ {command}\nended with code {done.returncode}:\n{done.stdout[-4000:]}{self.log()}")
        if ended.exists():
            self.cwd = pathlib.Path(ended.read_text().strip())
        return done.stdout

    def doctest(self, command, lines, block):
        """Runs a session of an interpreter, which `command` starts, and compares what it prints."""
        text = self.with_ports("\n".join(lines) + "\n")
        script = self.folder / "doctest_session.py"
        script.write_text("import doctest, sys\n"
                          f"test = doctest.DocTestParser().get_doctest({text!r}, {{}}, {block.page!r}, None, 0)\n"
                          "sys.exit(doctest.DocTestRunner(verbose=False).run(test).failed != 0)\n")
        self.run(f"{command.split(' #')[0].strip()} {shlex.quote(str(script))}", block)

    @staticmethod
    def compare(block, expected, said):
        """Checks that the lines appear in the output, in this order. Numbers may differ; `…` stands for any text."""
        at = 0
        said = NUMBER.sub("0", said)
        for line in expected:
            parts = [re.escape(NUMBER.sub("0", part.strip())) for part in line.split("…")]
            found = re.compile(".*?".join(parts)).search(said, at)
            if not found:
                raise Failed(f"{block}: {line!r} is not in the output:\n{said[-4000:]}")
            at = found.end()

    # -- servers ------------------------------------------------------------------------------------

    def serve(self, command, block):
        """Starts a server in the place of those that the page has started; returns when clients can connect."""
        self.stop_servers()
        environment = {**self.environment}
        if "--listen" not in command and "make" not in command:
            environment["HJALL_LISTEN"] = self.environment["LISTEN"]
        process = subprocess.Popen(["bash", "-c", command.split(" #")[0].rstrip("& \n")], cwd=self.cwd, env=environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   errors="replace", start_new_session=True)
        lines = []
        self.servers.append((process, lines))
        for line in process.stdout:
            lines.append(line)
            if LISTENING.search(line):
                break
        else:
            raise Failed(f"$ {command}\nended with code {process.wait()} before clients could connect:\n{''.join(lines)[-4000:]}")
        threading.Thread(target=lines.extend, args=(process.stdout,), daemon=True).start()

    def log(self):
        """The last lines of the servers, for a failure."""
        return "".join(f"\nthe server:\n{''.join(lines[-15:])}" for _, lines in self.servers)

    def stop_servers(self):
        """Stops the servers of the page, as Ctrl-C does."""
        for process, _ in self.servers:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGINT)
                process.wait(timeout=60)
        self.servers.clear()

    def close(self):
        """Ends everything and removes the folder."""
        if self.session:
            self.session.stdin.close()
            self.session.wait(timeout=60)
            self.session.stdout.close()
        self.stop_servers()
        shutil.rmtree(self.folder, ignore_errors=True)


def commands(text):
    """The commands of a console block, each with the lines that follow it: `(command, lines)`."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif not found:
            raise Failed(f"{line!r} is not a command: commands begin with '$ '")
        elif found[-1][0].endswith("\\") and not found[-1][1]:
            found[-1] = (f"{found[-1][0]}\n{line.removeprefix('> ')}", [])
        else:
            found[-1][1].append(line)
    return found
