"""Words that tell two keys apart however near they are in meaning: `son.school` is not `daughter.school`."""

from __future__ import annotations

from collections.abc import Collection

# Of each line, what stands in different places means different things; in one place, the same.
_LINES = """
son | daughter | brother | sister | mother mom mum | father dad | uncle | aunt | grandmother | grandfather
wife | husband
dog | cat | horse | bird | rabbit | fish
coffee | tea | wine | beer | water | juice
home private personal | work office business job | school university | birth
start begin beginning kickoff opening | end finish deadline due closing
departure outbound | arrival return
morning breakfast | noon lunch | evening dinner | night
spring | summer | autumn fall | winter
daily | weekly | biweekly fortnightly | monthly | quarterly | yearly annual
monday | tuesday | wednesday | thursday | friday | saturday | sunday
liked likes like loved favourite favorite preferred | disliked dislikes dislike hated hates avoided avoids
native mother | learning learned foreign
staging test testing | production live | development
lead manager owner | designer | developer programmer | client customer | tester
doctor physician | dentist | therapist
budget planned estimate | cost costs spent actual
left | right
minimum min least | maximum max most
first | second | third | last
income earned | expense expenses spending
phone mobile smartphone | laptop notebook | tablet | watch | desktop
car | bike bicycle | boat ship | motorbike motorcycle
breed race | age | name | colour color | weight
""".strip().splitlines()
# A key with one of these is about another time, or another one, than the key without.
_MARKS = frozenset(
    [
        "ex",
        "former",
        "formerly",
        "previous",
        "previously",
        "past",
        "old",
        "next",
        "new",
        "future",
        "other",
        "backup",
        "emergency",
    ]
)


def _read(lines: Collection[str]) -> dict[str, dict[int, int]]:
    """word -> {line: place}."""
    found: dict[str, dict[int, int]] = {}
    for line, text in enumerate(lines):
        for place, words in enumerate(text.split("|")):
            for word in words.split():
                found.setdefault(word, {})[line] = place
    return found


_PLACES = _read(_LINES)


def apart(one: Collection[str], other: Collection[str]) -> bool:
    """Whether the words of two keys are about two things."""
    mine, theirs = set(one) - set(other), set(other) - set(one)
    if _MARKS & (mine | theirs):
        return True
    for word in mine:
        for another in theirs:
            here, there = _PLACES.get(word, {}), _PLACES.get(another, {})
            shared = here.keys() & there.keys()
            if shared and all(here[line] != there[line] for line in shared):
                return True
    return False
