"""A damaged journal: the start is refused, and `hjall repair` drops the damage once the loss is accepted."""

import subprocess

import happybase

from serving import Hjall, binary


def hjall(*arguments):
    done = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_a_damaged_journal_is_refused_until_the_loss_is_accepted(tmp_path):
    data = tmp_path / "data"
    with Hjall(data) as server:
        connection = happybase.Connection("127.0.0.1", server.port)
        connection.create_table("t", {"f": {}})
        for number in range(9):
            connection.table("t").put(b"row %d" % number, {b"f:a": b"value %d" % number})
        server.kill()
    journal = data / "data" / "0.jnl"
    content = bytearray(journal.read_bytes())
    content[content.index(b"value 6")] ^= 1
    journal.write_bytes(content)

    for command in ("serve", "verify"):
        code, _, said = hjall(command, "--data", data, *(["--listen", "127.0.0.1:0"] if command == "serve" else []))
        assert code == 6 and str(journal) in said and "intact batches follow" in said and "hjall repair" in said, said
    assert journal.read_bytes() == content
    code, said, failed = hjall("repair", "--data", data)
    assert code == 6 and str(journal) in said and "it would be dropped" in said, said
    assert "1 batch of the journals is damaged; restore a backup, or accept the loss with --accept-loss" in failed, failed
    code, said, _ = hjall("repair", "--data", data, "--accept-loss")
    assert code == 0 and "DROPPED" in said, said
    assert (data / "damaged" / "0.jnl.0").read_bytes() == content
    code, said, _ = hjall("repair", "--data", data)
    assert code == 0 and said.startswith("the journals are intact; ") and "run hjall verify" in said, said
    with Hjall(data) as server:
        rows = dict(happybase.Connection("127.0.0.1", server.port).table("t").scan())
        assert rows == {b"row %d" % n: {b"f:a": b"value %d" % n} for n in range(9) if n != 6}
    assert hjall("verify", "--data", data)[0] == 0


def test_only_a_data_folder_is_repaired(tmp_path):
    code, _, said = hjall("repair", "--data", tmp_path)
    assert code == 2 and "is not a data folder" in said, said
