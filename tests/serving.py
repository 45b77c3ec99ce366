"""The built hjall as a child process: started on a free port over a folder, stopped as an operator would or killed."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parents[1]
ADDRESS = re.compile(r"127\.0\.0\.1:(\d+)")
INFO = re.compile(r'metrics"?[=:]"(http://127\.0\.0\.1:\d+)')


def binary():
    """The server to test: HJALL_BIN, or what `make build` makes."""
    path = pathlib.Path(os.environ.get("HJALL_BIN", ROOT / "target" / "debug" / "hjall"))
    if not path.exists():
        raise RuntimeError(f"{path} is missing: `make build` makes it, HJALL_BIN names another one")
    return path


class Hjall:
    """A running server.

    `folder`: its data; without one it gets a temporary folder, which goes when the server is closed.
    """

    def __init__(self, folder=None, *options):
        self.own = None if folder else tempfile.mkdtemp(prefix="hjall-test-")
        self.folder = pathlib.Path(folder or self.own)
        self.options = options
        self.process = self.port = None
        self.said = []
        self.start()

    @property
    def address(self):
        """HOST:PORT."""
        return f"127.0.0.1:{self.port}"

    @property
    def info(self):
        """Where it tells how it fares; only with the option --info-listen."""
        return next(found[1] for line in self.said if (found := INFO.search(line)))

    def start(self):
        """Starts it, again if it was stopped or killed; returns once it serves."""
        # Not the default port for metrics: another server may have it, and a test must not depend on that.
        quiet = () if "--info-listen" in self.options else ("--info-listen", "off")
        self.process = subprocess.Popen(
            [binary(), "serve", "--data", self.folder, "--listen", "127.0.0.1:0", *quiet, *self.options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.said = []
        for line in self.process.stdout:
            self.said.append(line)
            if found := ADDRESS.search(line):
                self.port = int(found[1])
                break
        else:
            raise RuntimeError(f"hjall ended with {self.process.wait()} before it served:\n{''.join(self.said)}")
        # The pipe is read to its end, or the server would stop at a full one.
        self.reader = threading.Thread(target=self.said.extend, args=(self.process.stdout,), daemon=True)
        self.reader.start()
        return self

    def kill(self):
        """kill -9."""
        self.process.kill()
        self.ended()

    def stop(self):
        """SIGTERM, and waits for the end; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def ended(self):
        """Waits until the process has ended and everything it said was read."""
        code = self.process.wait(timeout=60)
        self.reader.join()
        self.process.stdout.close()
        return code

    def close(self):
        """Stops it if it runs, and removes a temporary folder."""
        if self.process.poll() is None:
            self.stop()
        if self.own:
            shutil.rmtree(self.own, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
