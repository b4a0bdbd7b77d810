"""Words compared by their stems: enough to find a remembered line by the words of a question."""

from __future__ import annotations

from collections.abc import Iterator

import regex

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}]+(?:'[\p{L}]+)?")
_CJK = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}]")

_STOP = (
    "a about after again all also am an and any are as at be been before being but by can can't could did do does "
    "doing don't for from get gets getting give go going good got had has have having he her here hers him his how i "
    "i'd i'll i'm i've if in into is isn't it it's its just know let like lot make may maybe me might mine more most "
    "much must my need no not now of off ok okay on one or our ours out over please really remember said say see "
    "shall she should so some something still such suggest tell than thank thanks that that's the their them then "
    "there these they thing things think this those to too try up us use very want was way we we're well were what "
    "what's when where where's which while who who's whom whose why will with would yes yet you you're your yours "
    "help recommend buy today tomorrow idea ideas new best better told ask asked time remind hi hello hey caesar"
)
STOP_WORDS = frozenset(_STOP.split())

# What a question calls a thing, and what a remembered line calls it. Both sides are stems.
_SYNONYMS = {
    "live": "address home city country house flat move street",
    "home": "address live city country house heating",
    "address": "live street city",
    "city": "live address",
    "country": "live address",
    "work": "job role employer office",
    "job": "work role employer",
    "employer": "work job",
    "profession": "work job role",
    "occupation": "work job role",
    "call": "name",
    "name": "call",
    "eat": "diet allergy allergic food vegetarian vegan pescatarian dislike",
    "cook": "diet allergy allergic vegetarian vegan pescatarian food eat dislike",
    "dinner": "diet allergy allergic vegetarian vegan pescatarian eat",
    "lunch": "diet allergy allergic vegetarian vegan pescatarian eat",
    "recipe": "diet allergy allergic vegetarian vegan pescatarian eat",
    "food": "diet allergy allergic vegetarian vegan pescatarian eat",
    "restaurant": "diet allergy allergic vegetarian vegan pescatarian eat city live",
    "diet": "eat vegetarian vegan pescatarian",
    "allergy": "allergic",
    "allergic": "allergy",
    "pet": "dog cat rabbit tortoise",
    "animal": "pet dog cat",
    "dog": "pet puppy",
    "cat": "pet kitten",
    "puppy": "dog",
    "kitten": "cat",
    "wife": "spouse partner",
    "husband": "spouse partner",
    "partner": "spouse",
    "kid": "child children son daughter",
    "children": "child",
    "child": "children",
    "son": "child",
    "daughter": "child",
    "family": "spouse child mother father brother sister partner",
    "mum": "mother",
    "mom": "mother",
    "dad": "father",
    "sibling": "brother sister",
    "drink": "coffee tea",
    "prefer": "preference favourite",
    "favorite": "favourite prefer",
    "favourite": "prefer",
    "born": "birthday birth",
    "old": "birthday birth born age",
    "age": "birth born",
    "birthday": "born birth",
    "speak": "language",
    "language": "speak",
    "hobby": "enjoy",
    "music": "instrument play",
    "instrument": "play",
    "car": "vehicle drive",
    "bike": "vehicle",
    "drive": "car vehicle",
    "phone": "device",
    "married": "anniversary spouse",
    "heat": "heating thermostat pump boiler",
}


def stem(word: str) -> str:
    """A word without its commonest endings: "dogs" and "dog's" are "dog", "hobbies" is "hobby"."""
    word = word.casefold().replace("\u2019", "'").split("'")[0]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        root = word[: -len(ending)]
        if word.endswith(ending) and len(root) > 2 and any(vowel in root for vowel in "aeiouy"):
            if len(root) > 3 and root[-1] == root[-2] and root[-1] not in "lsz":
                return root[:-1]
            return root
    if len(word) > 3 and word.endswith("es") and word[-3] in "sxzo":
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def stems(text: str) -> Iterator[str]:
    """The stems of the words that carry meaning, in order; text without spaces gives its pairs of characters."""
    for found in _WORD.finditer(text.casefold().replace("\u2019", "'")):
        word = found.group()
        if _CJK.search(word):
            yield from (word[at : at + 2] for at in range(max(1, len(word) - 1)))
        elif word not in STOP_WORDS and word.removesuffix("'s") not in STOP_WORDS:
            yield stem(word)


_RELATED = {stem(word): frozenset(stem(each) for each in words.split()) for word, words in _SYNONYMS.items()}


def related(word: str) -> frozenset[str]:
    """The stems that mean about the same as a stem in a question."""
    return _RELATED.get(word, frozenset())
