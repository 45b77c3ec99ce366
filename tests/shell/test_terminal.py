"""The interactive part, through a pseudo-terminal: editing, history, completion, Ctrl-C, widths."""
import os
import subprocess

import pytest

from transcript import Running, at_prompt

CONTROL_C, CONTROL_D, TAB, UP = "\x03", "\x04", "\t", "\x1b[A"


@pytest.fixture
def terminal(folder_shell, tmp_path):
    """A shell on a terminal 100 columns wide, at its first prompt."""
    with Running(folder_shell, 100, tmp_path) as shell:
        shell.read(at_prompt)
        yield shell


def said(shell, line):
    """Types a line; what was printed before the next prompt."""
    shell.send(line)
    return shell.read(at_prompt)


def typed_until(shell, characters, text):
    """Types characters; waits until a text appears."""
    shell.send(characters, end="")
    return shell.read(lambda printed: text in printed)


def test_a_line_longer_than_the_terminal(terminal):
    assert f"=> {'x' * 300!r}".replace("'", '"') in said(terminal, f"'{'x' * 300}'")


def test_several_lines_at_once(terminal):
    terminal.send("x = 1\ny = 2\nx + y")
    assert "=> 3" in terminal.read(lambda text: "=> 3" in text)


def test_completion_of_commands(terminal):
    printed = typed_until(terminal, "trunc" + TAB + TAB, "truncate_preserve")
    assert "truncate " in printed
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)


def test_completion_of_tables_and_families(terminal):
    said(terminal, "create 'some_table', 'family'")
    typed_until(terminal, "scan 'some" + TAB, "some_table")
    typed_until(terminal, "', {COLUMNS => 'fam" + TAB, "family:")
    terminal.send("'}")
    assert "0 row(s)" in terminal.read(at_prompt)


def test_completion_of_constants(terminal):
    typed_until(terminal, "ROWPRE" + TAB, "ROWPREFIXFILTER")
    terminal.send("")
    assert '=> "ROWPREFIXFILTER"' in terminal.read(at_prompt)


def test_history_within_a_session_and_after_it(folder_shell, tmp_path):
    with Running(folder_shell, 100, tmp_path) as shell:
        shell.read(at_prompt)
        said(shell, "puts 'remembered'")
        shell.send(UP)
        assert "\nremembered\n" in shell.read(at_prompt)
    with Running(folder_shell, 100, tmp_path) as shell:
        shell.read(at_prompt)
        shell.send(UP)
        assert "\nremembered\n" in shell.read(at_prompt)


def test_control_c_drops_a_line(terminal):
    typed_until(terminal, "puts 'dropped", "dropped")
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    assert "\nkept\n" in said(terminal, "puts 'kept'")


def test_control_c_while_completions_are_listed(terminal):
    for _ in range(50):
        typed_until(terminal, "trunc" + TAB + TAB, "\n")
        terminal.send(CONTROL_C, end="")
        terminal.read(at_prompt)
    assert "\nkept\n" in said(terminal, "puts 'kept'")


def test_control_c_drops_an_unfinished_statement(terminal):
    terminal.send("scan 't', {")
    terminal.read(lambda text: ":1* " in text)
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    assert "=> 2" in said(terminal, "1 + 1")


def test_control_c_ends_a_scan_and_not_the_shell(terminal):
    said(terminal, "create 't', 'f'")
    said(terminal, "(1..2000).each { |i| t = format('%05d', i); print '' if put('t', t, 'f:q', 'v') }")
    # A scan that never ends by itself: its rows are read again and again.
    terminal.send("loop { scan 't' }")
    terminal.read(lambda text: "row(s)" in text)
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    assert "=> 2" in said(terminal, "1 + 1")


def test_control_c_ends_a_loop(terminal):
    terminal.send("loop { print '.'; sleep 0.001 }")
    terminal.read(lambda text: ".." in text)
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    assert "=> 2" in said(terminal, "1 + 1")


def test_control_d_ends_the_shell(folder_shell, tmp_path):
    shell = Running(folder_shell, 100, tmp_path)
    shell.read(at_prompt)
    shell.send(CONTROL_D, end="")
    shell.read(lambda _: False)
    assert shell.ended and shell.close() == 0


def test_errors_are_red_on_a_terminal_only(folder_shell, tmp_path):
    import pty
    master, slave = pty.openpty()
    shell = subprocess.Popen(folder_shell, stdin=slave, stdout=slave, stderr=slave, cwd=tmp_path, start_new_session=True,
                             env=dict(os.environ, TERM="xterm", HOME=str(tmp_path)))
    os.close(slave)
    os.write(master, b"scan 'none'\nexit\n")
    printed = b""
    try:
        while data := os.read(master, 65536):
            printed += data
    except OSError:
        pass
    shell.wait(60)
    os.close(master)
    assert b"\x1b[31mERROR: Unknown table none!\x1b[0m" in printed
    done = subprocess.run([*folder_shell], input="scan 'none'\n", capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert "\x1b" not in done.stdout and "ERROR: Unknown table none!" in done.stdout


def test_characters_that_a_terminal_does_not_show_are_escaped(terminal):
    said(terminal, r"""create 't', {NAME => "f\u202e", METADATA => {'who' => "\u202ebidi\u009bclear"}}""")
    printed = said(terminal, "describe 't'").replace("\n", "")
    assert r"f\u{202E}" in printed and r"\u{202E}bidi\x9Bclear" in printed, printed
    assert not {"\u202e", "\u009b"} & set(printed)
    assert "\u202e" not in typed_until(terminal, "get 't', 'r', 'f" + TAB + TAB, "'f")


def test_control_c_leaves_a_question(terminal):
    said(terminal, "create 'my_table', 'f'")
    terminal.send("disable_all 'my.*'")
    terminal.read(lambda text: "(y/n)?" in text)
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    assert "true" in said(terminal, "is_enabled 'my_table'")


def test_pasted_text_is_stored_as_it_is(terminal):
    assert "=> 3" in said(terminal, "'a\tb'.length")
    assert "control character" in said(terminal, "'\x01'.length")


def test_keys_behind_lines_in_one_piece(terminal):
    terminal.send("puts 40 + 2\n" + CONTROL_D, end="")
    assert "\n42\n" in terminal.read(lambda _: False) and terminal.ended


def test_the_terminal_is_restored_when_a_signal_ends_the_shell(folder_shell, tmp_path):
    import signal
    import termios
    with Running(folder_shell, 100, tmp_path) as shell:
        shell.read(at_prompt)
        shell.process.send_signal(signal.SIGTERM)
        assert shell.process.wait(60) == -signal.SIGTERM
        assert termios.tcgetattr(shell.input)[3] & (termios.ECHO | termios.ICANON | termios.ISIG)


def test_lines_are_numbered_as_prompts_are(terminal):
    typed_until(terminal, "puts 'dropped", "dropped")
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    assert "(hbase):2:1" in said(terminal, "]")


def test_completion_knows_what_an_argument_is(terminal):
    said(terminal, "t = create 'some_table', 'family'")
    said(terminal, "create_namespace 'some_space'")
    # The second string is a row: nothing is offered.
    typed_until(terminal, "get 'some_table', 'fam", "'fam")
    typed_until(terminal, TAB + "x', 'fam" + TAB, "'family:")
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    typed_until(terminal, "t.get 'r', 'fam" + TAB, "'r', 'family:")
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    typed_until(terminal, "describe_namespace 'some" + TAB, "'some_space")
    terminal.send(CONTROL_C, end="")
    terminal.read(at_prompt)
    typed_until(terminal, "help 'truncate_p" + TAB, "'truncate_preserve")


def test_text_of_tables_does_not_control_the_terminal(folder_shell, tmp_path):
    with Running(folder_shell, 100, tmp_path) as shell:
        shell.read(at_prompt)
        shell.send("create_namespace 'n', {'k' => \"\\e[31mred\"}")
        shell.read(at_prompt)
        shell.send("describe_namespace 'n'")
        assert r"k => '\x1B[31mred'" in shell.read(at_prompt)
