"""Every example of the tables: what must be found, exactly where it is marked, and what must be left alone."""

import regex

from memory.domain.sensitive import SensitiveClass, find, redact

FIRST = ("credential", "payment", "government_id")
MARKED = regex.compile("«(.*?)»", regex.DOTALL)


def read(row):
    """The text without its marks, the fact's key, and the marked places."""
    key, text = (row["key"], row["value"]) if isinstance(row, dict) else (None, row)
    text = text.replace("¦", "")
    places, shift = [], 0
    for match in MARKED.finditer(text):
        places.append((match.start() - shift, match.end() - shift - 2))
        shift += 2
    return MARKED.sub(r"\1", text), key, places


def test_it_finds_what_must_be_found(must):
    name, row = must
    text, key, places = read(row)
    found = [f for f in find(text, key=key) if f.cls == name]
    assert found
    if places:
        assert [(f.start, f.end) for f in found] == places


def test_it_leaves_alone_what_must_be_left_alone(mustnt):
    name, row = mustnt
    text, key, _ = read(row)
    found = [f for f in find(text, key=key) if name not in FIRST or f.cls in FIRST]
    assert [(f.cls.value, f.kind, text[f.start : f.end]) for f in found] == []


def test_it_redacts_what_must_be_found_and_nothing_else(must):
    name, row = must
    text, key, places = read(row)
    cls = SensitiveClass(name)
    clean, found = redact(text, {cls}, key=key)
    assert found
    assert redact(clean, {cls}, key=key)[0] == clean
    rest, at = [], 0
    for start, end in places:
        rest.append(text[at:start])
        at = end
    if places:
        assert clean == f"[redacted: {name}]".join([*rest, text[at:]])
