"""Simulated power failures: runs the server on a layer that remembers what was synced, and rebuilds the folder without
the rest.

`power_loss.c` is the layer; it describes the shadow folder.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess

from serving import Hjall

SOURCE = pathlib.Path(__file__).with_name("power_loss.c")


def build_layer(folder):
    """Compiles the layer; returns its path."""
    library = folder / "power_loss.so"
    command = [os.environ.get("CC", "cc"), "-std=gnu11", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE, "-ldl", "-lpthread"]
    subprocess.run(command, check=True)
    return library


PAGE = 4096


def written_back(synced, latest, rng):
    """A file of which some of the pages that were written since the last sync are on disk."""
    pages = [(synced[at:at + PAGE], latest[at:at + PAGE]) for at in range(0, len(latest), PAGE)]
    return b"".join(rng.choice(page) if page[0] != page[1] else page[1] for page in pages)


class Power:
    """The power supply of a data folder. `folder` is the data folder; it is empty or missing at first."""

    def __init__(self, base, library):
        self.base, self.library = base, library
        self.folder, self.shadow = base / "data", base / "shadow"
        self.folder.mkdir(parents=True)
        self.record()

    def record(self):
        """Records everything in the folder as synced."""
        shutil.rmtree(self.shadow, ignore_errors=True)
        for name in ("data", "names", "removed"):
            (self.shadow / name).mkdir(parents=True)
        for path, folders, files in os.walk(self.folder):
            path = pathlib.Path(path)
            files = [name for name in files if (path / name).is_file()]
            lines = [f"{kind} {(path / name).stat().st_ino} {name}\n" for kind, names in (("d", folders), ("f", files)) for name in names]
            (self.shadow / "names" / str(path.stat().st_ino)).write_text("".join(lines))
            for name in files:
                inode = str((path / name).stat().st_ino)
                shutil.copyfile(path / name, self.shadow / "data" / inode)
                # Its inode number must not be used again.
                os.link(path / name, self.shadow / "removed" / f"i{inode}")

    @property
    def environment(self):
        """That of a process on the layer."""
        layer = {"LD_PRELOAD": str(self.library), "POWER_FOLDER": str(self.folder), "POWER_SHADOW": str(self.shadow)}
        return {**os.environ, **layer}

    def server(self, *options, data="."):
        """Starts a server on the layer, with its data in a folder inside of the one that has the power supply."""
        return Hjall(self.folder / data, *options, environment=self.environment)

    def fail_at(self, call, part, when, number):
        """Makes the power fail at a point (see `power_loss.c`), counted from now on."""
        with open(self.shadow / "point", "r+b" if (self.shadow / "point").exists() else "w+b", buffering=0) as file:
            file.write(b"\0" + f"{call} {part} {when} {number}".encode())
            # The layer reads the text once the first byte is set.
            file.seek(0)
            file.write(b"!")

    def fail_next_sync(self):
        """Makes the next sync of a journal fail."""
        (self.shadow / "fail-sync").touch()

    def fail_next_rotation(self):
        """Makes the sync of the name of the next journal fail, and the power soon after the next sync of a journal."""
        (self.shadow / "fail-names").touch()

    @contextlib.contextmanager
    def slow_syncs(self):
        """Syncs of journals do not end within the context."""
        order = self.shadow / "hold-syncs"
        order.touch()
        try:
            yield
        finally:
            order.unlink()

    def fail(self, rng=None):
        """Replaces the folder with what is left after a power failure. The process must have ended.

        Without `rng`, exactly what was synced is left. With it, each directory may have its latest entries, and each
        file an arbitrary part of what was appended since its last sync, as an operating system that writes by itself
        leaves them. Of journals, which are created with their full length, it has arbitrary pages.
        """
        names, files = {}, {}
        for path, _, _ in os.walk(self.folder):
            entries = sorted((e for e in os.scandir(path) if e.is_dir() or e.is_file()), key=lambda e: e.name)
            names[os.stat(path).st_ino] = [("d" if e.is_dir() else "f", e.inode(), e.name) for e in entries]
            files.update({e.inode(): e.path for e in entries if not e.is_dir()})
        files.update({e.inode(): e.path for e in os.scandir(self.shadow / "removed")})
        rebuilt = self.base / "rebuilt"
        self.rebuild(self.folder.stat().st_ino, rebuilt, names, files, rng)
        shutil.rmtree(self.folder)
        rebuilt.rename(self.folder)
        self.record()

    def rebuild(self, inode, to, names, files, rng):
        """Rebuilds a directory."""
        to.mkdir()
        for kind, number, name in self.entries(inode, names, rng):
            if kind == "d":
                self.rebuild(number, to / name, names, files, rng)
                continue
            synced = self.shadow / "data" / str(number)
            content = synced.read_bytes() if synced.exists() else b""
            if rng and number in files and rng.random() < 0.5:
                latest = pathlib.Path(files[number]).read_bytes()
                if latest.startswith(content):
                    content = latest[:rng.randint(len(content), len(latest))]
                elif len(latest) == len(content) and name.endswith(".jnl"):
                    content = written_back(content, latest, rng)
            (to / name).write_bytes(content)

    def entries(self, inode, names, rng):
        """The entries of a directory: those at its last sync, or the latest ones."""
        if rng and inode in names and rng.random() < 0.3:
            return names[inode]
        synced = self.shadow / "names" / str(inode)
        lines = synced.read_text().splitlines() if synced.exists() else []
        return [(kind, int(number), name) for kind, number, name in (line.split(" ", 2) for line in lines)]

