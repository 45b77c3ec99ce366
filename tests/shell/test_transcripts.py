"""The recorded transcripts of HBase's shell replay with the same output, on a folder and on a server."""
import pytest

from transcript import Transcript, all_transcripts, differences


@pytest.mark.parametrize("path", all_transcripts(), ids=lambda path: path.stem)
def test_replay(path, shell):
    assert not (found := differences(Transcript(path), shell)), "\n" + found
