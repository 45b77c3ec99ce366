"""Runs the built hjall as a child process: starts it on a free port, stops or kills it."""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[1]
ADDRESS = re.compile(r"127\.0\.0\.1:(\d+)")
INFO = re.compile(r'metrics"?[=:]"(http://127\.0\.0\.1:\d+)')


def binary():
    """Path of the server under test: HJALL_BIN, or the output of `make build`."""
    path = pathlib.Path(os.environ.get("HJALL_BIN", ROOT / "target" / "debug" / "hjall"))
    if not path.exists():
        raise RuntimeError(f"{path} does not exist: run `make build`, or set HJALL_BIN to another binary")
    return path


class Hjall:
    """A running server.

    `folder` is its data folder. Without one, it uses a temporary folder that is removed when the server is closed.
    `open_files` is the limit on the file descriptors of the process; without it, that of the tests applies.
    `environment` replaces the environment variables. `prefix` is a command that starts the server.
    """

    def __init__(self, folder=None, *options, open_files=None, environment=None, prefix=()):
        self.own = None if folder else tempfile.mkdtemp(prefix="hjall-test-")
        self.folder = pathlib.Path(folder or self.own)
        self.options = options
        self.open_files = open_files
        self.environment = environment
        self.prefix = prefix
        self.process = self.port = None
        self.said = []
        self.start()

    @property
    def address(self):
        """HOST:PORT."""
        return f"127.0.0.1:{self.port}"

    def ports(self):
        """The ports of all listeners, without that of the info address."""
        info = [found[1] for line in self.said if (found := INFO.search(line))]
        found = [port for line in self.said for port in ADDRESS.findall(line)]
        return [int(port) for port in dict.fromkeys(found) if not any(url.endswith(f":{port}") for url in info)]

    @property
    def info(self):
        """URL of the info port. Requires the option --info-listen."""
        return next(found[1] for line in self.said if (found := INFO.search(line)))

    def start(self):
        """Starts or restarts the server; returns when it accepts connections."""
        # Without the default info port, which another server may be using.
        quiet = () if "--info-listen" in self.options else ("--info-listen", "off")
        place = () if "--memory" in self.options else ("--data", self.folder)
        self.process = subprocess.Popen(
            [*self.prefix, binary(), "serve", *place, "--listen", "127.0.0.1:0", *quiet, *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=self.environment,
            preexec_fn=self.limit if self.open_files else None)
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if found := ADDRESS.search(line):
                self.port = int(found[1])
                break
        else:
            raise RuntimeError(f"hjall exited with code {self.process.wait()} before it was ready:\n{''.join(self.said)}")
        # Drain the pipe, or the server would block when it is full.
        self.reader = threading.Thread(target=self.said.extend, args=(self.process.stdout,), daemon=True)
        self.reader.start()
        return self

    def limit(self):
        """Limits the file descriptors of the new process."""
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.open_files, self.open_files))

    def limit_file_size(self, size=resource.RLIM_INFINITY):
        """Limits the size of files of the running process, on Linux: writes beyond it fail. Without `size`, lifts the
        limit."""
        resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def kill(self):
        """kill -9."""
        self.process.kill()
        self.ended()

    def stop(self):
        """Sends SIGTERM, waits for the process, and returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def ended(self):
        """Waits until the process has exited and all its output has been read; returns the exit code."""
        code = self.process.wait(timeout=60)
        self.reader.join()
        self.process.stdout.close()
        return code

    def close(self):
        """Stops the server if it is running, and removes its temporary folder."""

        if self.process.poll() is None:
            self.stop()
        if self.own:
            shutil.rmtree(self.own, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
