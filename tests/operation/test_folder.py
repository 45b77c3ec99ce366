"""Permissions of the data folder and of backups."""
import os
import subprocess
import sys

import pytest

from serving import Hjall, binary

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")


def mode(path):
    return path.stat().st_mode & 0o777


def test_a_new_folder_and_a_backup_belong_to_their_user_alone(tmp_path):
    before = os.umask(0)
    try:
        with Hjall(tmp_path / "new" / "data") as server:
            server.stop()
        subprocess.run([binary(), "backup", tmp_path / "copy", "--data", tmp_path / "new" / "data"], check=True, capture_output=True)
        subprocess.run([binary(), "restore", tmp_path / "copy", "--data", tmp_path / "restored"], check=True, capture_output=True)
    finally:
        os.umask(before)
    assert [mode(tmp_path / name) for name in ("new/data", "copy", "restored")] == [0o700] * 3
    assert "chmod" not in "".join(server.said)


def test_a_folder_that_others_can_read_is_reported(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    folder.chmod(0o755)
    with Hjall(folder) as server:
        server.stop()
    assert mode(folder) == 0o755
    warnings = [line for line in server.said if "chmod 700" in line]
    assert len(warnings) == 1 and str(folder) in warnings[0] and "0755" in warnings[0]
