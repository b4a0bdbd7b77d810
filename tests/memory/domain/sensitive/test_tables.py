"""The data files: complete, readable, with an example for every row that has a form of its own."""

from pathlib import Path

import pytest
import yaml

from memory.domain.sensitive import SensitiveClass, find
from memory.domain.sensitive.data import table
from memory.domain.sensitive.formats import formats
from memory.domain.sensitive.frames import frames
from memory.domain.sensitive.idnumbers import id_formats
from memory.domain.sensitive.words import Phrases

from .test_examples import read

EXAMPLES = Path(__file__).parent / "examples"


def kinds_found(name):
    data = yaml.safe_load((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))
    rows = [read(row) for rows in data["must"].values() for row in rows]
    return {f.kind for text, key, _ in rows for f in find(text, key=key)}


def test_every_class_has_examples():
    assert {path.stem for path in EXAMPLES.glob("*.yaml")} == set(SensitiveClass)


def test_every_known_format_of_keys_has_an_example():
    assert {form.name for form in formats()} - kinds_found("credential") <= {"model_key", "cloud_token", "google_token"}


def test_most_national_ids_have_an_example():
    without = {form.kind for form in id_formats()} - kinds_found("government_id")
    assert len(without) <= 22, without


def test_every_check_exists():
    assert all(form.valid("0") in (True, False) for form in id_formats())


@pytest.mark.parametrize("name", ["health", "personal"])
def test_every_language_has_its_frames(name):
    languages = {
        language for by_frame in table(name)["kinds"].values() for rows in by_frame.values() for language in rows
    }
    assert languages - {"all"} <= set(frames())


@pytest.mark.parametrize("name", ["health", "personal"])
def test_only_known_ways_of_speaking_are_used(name):
    used = {way for by_frame in table(name)["kinds"].values() for way in by_frame}
    assert used <= {"have", "be", "take", "say"}


def test_a_stem_of_three_letters_is_refused():
    with pytest.raises(ValueError, match="too short a stem"):
        Phrases([("abc*", 1)])
