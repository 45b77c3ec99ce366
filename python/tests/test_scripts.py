"""Runs the scripts of tests/scripts through the Python package."""

import pathlib

import pytest
from script.runner import Runner
from script.text import agrees, scenes, with_times

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests/scripts"
SCENES = [
    pytest.param(path.name, scene, id=f"{path.stem}: {scene.title}")
    for path in sorted(FOLDER.glob("*.txt"))
    for scene in scenes(path.read_text())
]


@pytest.mark.parametrize("kind", ["memory", "folder"])
@pytest.mark.parametrize("script, scene", SCENES)
def test_the_scene_has_the_expected_answers(script, scene, kind, tmp_path):
    runner = Runner(None if kind == "memory" else tmp_path)
    start = runner.db.now_ms
    with runner.db:
        for step in scene.steps:
            got = runner.run(with_times(step.line, start))
            expected = [with_times(line, start) for line in step.answer]
            fits = len(got) == len(expected) and all(map(agrees, expected, got))
            assert fits, f"{script}:{step.place} {step.line}\n expected {expected}\n got      {got}"
