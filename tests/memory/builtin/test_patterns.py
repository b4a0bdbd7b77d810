"""Every example and near miss of the data file is a test of the pattern that it stands by."""

from __future__ import annotations

from collections import Counter

import pytest
import yaml

from memory.builtin import play
from memory.builtin.extract import find
from memory.builtin.found import Found
from memory.builtin.patterns import FILE, load
from memory.domain.keys import canonical
from memory.domain.types import Message

PATTERNS = load().all
EXAMPLES = [(pattern.id, *example) for pattern in PATTERNS for example in pattern.examples]
NEAR_MISSES = [(pattern.id, text) for pattern in PATTERNS for text in pattern.near_misses]


def read(text: str) -> list[Found]:
    return [each for message, seen in play.serious([Message("user", text)]) for each in find(seen, message.text)]


@pytest.mark.parametrize(("pattern", "text", "key", "value"), EXAMPLES)
def test_it_reads_its_example(pattern: str, text: str, key: str, value: str) -> None:
    found = [(each.pattern, each.proposal.key, each.proposal.value) for each in read(text)]
    assert (pattern, key, value) in found


@pytest.mark.parametrize(("pattern", "text"), NEAR_MISSES)
def test_it_leaves_its_near_miss_alone(pattern: str, text: str) -> None:
    assert [each.proposal for each in read(text) if each.pattern == pattern] == []


@pytest.mark.parametrize(("pattern", "text", "key", "value"), EXAMPLES)
def test_its_keys_are_canonical(pattern: str, text: str, key: str, value: str) -> None:
    assert canonical(key) == key


def test_each_pattern_has_a_name_of_its_own_an_example_and_a_near_miss() -> None:
    assert [name for name, count in Counter(pattern.id for pattern in PATTERNS).items() if count > 1] == []
    assert [pattern.id for pattern in PATTERNS if not pattern.examples or not pattern.near_misses] == []


def test_it_is_never_so_sure_as_a_person() -> None:
    assert [pattern.id for pattern in PATTERNS if not 0.6 <= pattern.confidence <= 0.95] == []


def test_the_data_file_reads_the_same_with_and_without_the_c_library() -> None:
    text = FILE.read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    assert yaml.safe_load(text) == yaml.load(text, Loader=loader)


def test_no_macro_is_left_over() -> None:
    data = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    made = {*data["macros"], *data["cased"], *data["plain"], *data["words"], *data["tables"]}
    text = FILE.read_text(encoding="utf-8")
    assert {name for name in made if f"{{{name}}}" not in text and f":{name}}}" not in text} == {"never_a_value"}
