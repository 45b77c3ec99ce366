"""The recorded transcripts of HBase's shell replay with the same output, on a folder and on a server."""
import pytest

from transcript import Transcript, all_transcripts, differences

# Transcripts that need the data folder, and why.
FOLDER_ONLY = {"11_regions": "flush, split and the requests of regions are not part of Thrift2"}
# Commands of other transcripts that need it for the same reason.
NOT_ON_A_SERVER = ("t.flush",)


@pytest.mark.parametrize("path", all_transcripts(), ids=lambda path: path.stem)
def test_replay(path, shell):
    on_server = "--server" in shell
    if path.stem in FOLDER_ONLY and on_server:
        pytest.skip(FOLDER_ONLY[path.stem])
    found = differences(Transcript(path), shell, NOT_ON_A_SERVER if on_server else ())
    assert not found, "\n" + found
