import contextlib
import json
import time

import pytest

from memory.domain.reply import MAX_NOTES, parse_reply
from memory.domain.types import Cardinality, Category, Op, Reply, Scope, Stance
from memory.errors import ModelNonsense


def read(raw: object, max_facts: int = 100) -> Reply:
    return parse_reply(raw if isinstance(raw, str) else json.dumps(raw), max_facts=max_facts)


def pairs(reply: Reply) -> list[tuple[str | None, str]]:
    return [(p.key, p.value) for p in reply.proposals]


def fact(value: object, key: object = "thing", **more: object) -> dict[str, object]:
    return {"key": key, "value": value, **more}


def test_it_finds_the_json_between_a_greeting_and_another_fence():
    reply = read(
        'Sure! Here is what I found:\n\n```json\n{"facts":[{"key":"home_city","value":"Tartu","confidence":0.93}],'
        '"summary":"Where they live."}\n```\n\nNote: I skipped the floor.\n```text\ndone\n```\n'
    )
    assert pairs(reply) == [("address.city", "Tartu")]
    assert reply.proposals[0].confidence == 0.93
    assert reply.summary == "Where they live."
    assert reply.dropped == ()


DRAFT = 'Draft: {"facts":[{"key":"diet","value":"vegan"}],"summary":""}\nWait, the brother is vegan.\n'
FINAL = '{"facts":[{"key":"food_dislike","value":"coriander","confidence":0.9}],"summary":"Food."}'


@pytest.mark.parametrize(
    "raw",
    [
        f"<think>\n{DRAFT}</think>\n{FINAL}",
        f"{DRAFT}</think>\n\n{FINAL}",
        f"<think>{DRAFT}</think> hm <think>{DRAFT}</think>{FINAL}",
        f"<THINKING>{DRAFT}</ thinking >{FINAL}",
        f"{FINAL}\n<think>{DRAFT}",
        f"[THINK]{DRAFT}[/THINK]{FINAL}",
        f"◁think▷{DRAFT}◁/think▷{FINAL}",
        f'<think time="3">{DRAFT}</think>{FINAL}',
        f"<|channel|>analysis<|message|>{DRAFT}<|end|><|start|>assistant<|channel|>final<|message|>{FINAL}",
    ],
)
def test_it_reads_nothing_in_a_thought(raw):
    reply = read(raw)
    assert [p.value for p in reply.proposals] == ["coriander"]
    assert "vegan" not in repr(reply)


def test_it_does_not_take_a_draft_from_a_thought_that_never_ended():
    with pytest.raises(ModelNonsense):
        read(f"<think>{DRAFT}")


def test_it_stores_no_thought_tag():
    reply = read({"facts": [fact("Graz"), fact("My prompts end in </think> tags", "habit")], "summary": "<think>hm"})
    assert pairs(reply) == [("thing", "Graz"), ("habit", "My prompts end in  tags")]
    assert reply.summary == "hm"


@pytest.mark.parametrize(
    "shape",
    [
        lambda f: f,
        lambda f: {"candidates": f},
        lambda f: {"memories": f},
        lambda f: {"result": {"facts": f}},
        lambda f: {"items": f, "note": []},
    ],
)
def test_it_takes_other_shapes_of_the_list(shape):
    assert pairs(read(shape([fact("Beans", "dog.name")]))) == [("dog.name", "Beans")]


def test_it_takes_facts_that_stand_under_their_keys():
    reply = read({"facts": {"dog.name": "Rex", "home_city": {"value": "Graz", "confidence": 0.9}, "smoker": False}})
    assert [(p.key, p.value, p.confidence) for p in reply.proposals] == [
        ("dog.name", "Rex", None),
        ("address.city", "Graz", 0.9),
    ]
    assert [d.reason for d in reply.dropped] == ["bad_value"]


def test_it_takes_entries_that_stand_one_under_the_other_without_a_list():
    assert pairs(read('{"key":"a","value":"x"}\n{"key":"b","value":"y"}')) == [("a", "x"), ("b", "y")]


@pytest.mark.parametrize(
    "raw", ['{"facts":[]}', '{"facts":null}', "[]", 'Nothing here: {"facts": [], "summary": null}']
)
def test_nothing_to_learn_is_a_reply(raw):
    assert read(raw) == Reply()


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("I found nothing of note.", "no JSON"),
        ("null", "no JSON"),
        ("{}", "no list of facts"),
        ('{"age": 41}', "no list of facts"),
        ('{"facts": "none"}', "not a list"),
        ('{"facts": [', "cut off"),
        ('{"facts": [{"key": "a", "value": "b', "cut off"),
    ],
)
def test_nonsense_is_named(raw, reason):
    with pytest.raises(ModelNonsense, match=reason) as caught:
        read(raw)
    assert caught.value.raw == raw


def test_it_keeps_the_whole_entries_of_a_reply_that_was_cut():
    raw = '{"facts":[{"key":"a","value":"b"},{"key":"c","value":"d","stance":"hypo'
    reply = read("```json\n" + raw)
    assert pairs(reply) == [("a", "b")]
    assert [d.reason for d in reply.dropped] == ["cut_off"]


@pytest.mark.parametrize("value", [".", "?!", '"', "- - -", "\u200b", "\u0301"])
def test_a_value_that_says_nothing_is_none(value):
    reply = read(json.dumps({"facts": [{"key": "a", "value": value}, {"key": "b", "value": "\U0001f415"}]}))
    assert pairs(reply) == [("b", "\U0001f415")]
    assert [d.reason for d in reply.dropped] == ["no_value"]


def test_it_mends_commas_infinities_and_odd_escapes():
    raw = r'[{"key":"a","value":"it\'s \x ok","confidence":NaN,} {"key":"b","value":"y","confidence":-Infinity},]'
    assert pairs(read(raw)) == [("a", "it's x ok"), ("b", "y")]


def test_it_gives_up_a_broken_entry_and_reads_on():
    reply = read('{"facts":[{"key":"a","value":"x"},{"key":"b" oops},{"key":"c","value":"y"}],"summary":"s"}')
    assert pairs(reply) == [("a", "x"), ("c", "y")]
    assert reply.summary == "s"
    assert [d.reason for d in reply.dropped] == ["malformed"]


def test_it_prefers_a_whole_answer_to_a_broken_one_before_it():
    assert pairs(read('{"facts":[{"key":"a","value":"x"}, oh no\n{"facts":[{"key":"b","value":"y"}]}')) == [("b", "y")]


def test_it_drops_what_has_no_value_of_its_own_and_says_why():
    raw = [
        "User has two kids", {"age": 41}, fact(["Ada", "Bo"], "children"), fact(43.5, "shoe_size"),
        fact(False, "smoker"), fact(None, "partner"), fact({"city": "Plzen"}, "address"),
        fact("   ", "nickname"), None, 42,
    ]  # fmt: skip
    reply = read({"facts": raw, "summary": ["kids", "age"]})
    assert pairs(reply) == [("child.name", "Ada"), ("child.name", "Bo"), ("shoe_size", "43.5")]
    assert {p.cardinality for p in reply.proposals[:2]} == {Cardinality.MANY}
    assert reply.summary == "kids; age"
    assert [d.reason for d in reply.dropped] == [
        "malformed", "malformed", "bad_value", "no_value", "bad_value", "no_value", "malformed", "malformed",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "value", ["None", "null", "['Ada', 'Bo']", "{'a': 1}", '["x"]', '{"a": 1}', "True", "n/a", "nan", "[]"]
)
def test_it_never_stores_the_spelling_of_nothing_or_of_code(value):
    assert read({"facts": [fact(value)]}).proposals == ()


@pytest.mark.parametrize(
    ("written", "text"),
    [("43.50", "43.5"), ("41", "41"), ("41.0", "41"), ("1e3", "1000"), ("-7", "-7"), ("0.0000001", "0.0000001"),
     ("12345678901234567890", "12345678901234567890"), ("1e30", "1e+30")],
)  # fmt: skip
def test_it_writes_a_number_as_a_person_does(written, text):
    assert read(f'[{{"key":"n","value":{written}}}]').proposals[0].value == text


def test_it_takes_nul_out_of_every_text():
    reply = read({"facts": [fact("o\x00ce hours 9-17", "office_hours")], "summary": "Office \x00talk"})
    assert reply.proposals[0].value == "oce hours 9-17"
    assert reply.summary == "Office talk"


def test_every_shape_of_confidence_leaves_the_entry_alive():
    shapes = ["0.9", 95, "95%", "high", True, None, -0.4, [1]]
    reply = read({"facts": [fact(f"v{n}", f"k{n}", confidence=c) for n, c in enumerate(shapes)]})
    assert [p.confidence for p in reply.proposals] == [0.9, 0.95, 0.95, None, None, None, None, None]
    assert all(p.confidence_note for p in reply.proposals[3:])


def test_it_reads_all_fields_of_an_entry():
    (proposal,) = read(
        {"facts": [fact("Lumen", "employer", category="Fact", scope="space", importance=0.8, cardinality="one",
                        op="replace", stance="asserted", quote="I start at Lumen", valid_from="2026-01-05")]}
    ).proposals  # fmt: skip
    assert proposal.key == "work.employer"
    assert (proposal.category, proposal.scope, proposal.importance) == (Category.FACT, Scope.SPACE, 0.8)
    assert (proposal.cardinality, proposal.op, proposal.stance) == (Cardinality.ONE, Op.SET, Stance.ASSERTED)
    assert (proposal.quote, proposal.valid_from) == ("I start at Lumen", "2026-01-05")


@pytest.mark.parametrize(
    ("field", "raw", "expected"),
    [
        ("stance", None, Stance.ASSERTED),
        ("stance", "maybe", Stance.HYPOTHETICAL),
        ("stance", 1, Stance.HYPOTHETICAL),
        ("stance", "About someone-else", Stance.OTHER),
        ("op", "upsert", Op.SET),
        ("op", "delete", Op.RETRACT),
        ("op", ["x"], Op.SET),
        ("category", "mood", None),
        ("scope", None, Scope.PROFILE),
        ("scope", "work", Scope.SPACE),
        ("cardinality", "several", None),
        ("valid_from", "next Monday", None),
        ("quote", 7, None),
        ("importance", "very", None),
    ],
)
def test_a_field_that_cannot_be_read_falls_to_the_safe_side(field, raw, expected):
    assert getattr(read({"facts": [fact("x", **{field: raw})]}).proposals[0], field) == expected


def test_a_model_may_say_that_nothing_changes():
    assert read({"facts": [fact("x", op="NONE")]}).dropped[0].reason == "no_change"


@pytest.mark.parametrize(("key", "expected"), [(None, None), ("", None), ("  ", None)])
def test_an_entry_without_a_key_is_a_narrative(key, expected):
    assert pairs(read({"facts": [fact("Likes the sea at night", key)]})) == [(expected, "Likes the sea at night")]


@pytest.mark.parametrize("key", ["<<>>", "!!!", 42, ["a"], "123"])
def test_an_entry_whose_key_makes_no_sense_is_dropped(key):
    reply = read({"facts": [fact("x", key)]})
    assert reply.proposals == ()
    assert reply.dropped[0].reason == "bad_key"


def test_it_uses_the_operators_spellings():
    reply = parse_reply('[{"key":"hund","value":"Rex"}]', max_facts=5, aliases={"Hund": "dog.name"})
    assert reply.proposals[0].key == "dog.name"


def test_it_drops_a_value_that_is_too_long_and_clamps_a_summary():
    reply = read({"facts": [fact("x" * 1001), fact("y" * 1000)], "summary": "z" * 5000})
    assert [p.value[0] for p in reply.proposals] == ["y"]
    assert reply.dropped[0].reason == "too_long"
    assert reply.summary is not None
    assert len(reply.summary) <= 2000


def test_the_beginning_of_a_long_quote_is_kept():
    quote = read({"facts": [fact("x", quote="q" * 3000)]}).proposals[0].quote
    assert quote == "q" * 1000


def test_the_same_claim_twice_is_one():
    reply = read({"facts": [fact("Oat milk", "drink"), fact("oat  MILK", "drink"), fact("oat milk", "food")]})
    assert len(reply.proposals) == 2
    assert [d.reason for d in reply.dropped] == ["duplicate"]


def test_of_two_readings_of_one_claim_the_careful_one_counts():
    reply = read({"facts": [fact("Rex", stance="asserted"), fact("rex", stance="hypothetical")]})
    assert [p.stance for p in reply.proposals] == [Stance.HYPOTHETICAL]


def test_a_flood_is_capped_and_counted():
    flood = [fact("bassoon", "instrument")] + [fact(f"User enjoys music {n}", f"user_note_{n}") for n in range(9999)]
    started = time.monotonic()
    reply = read({"facts": flood, "summary": "x"})
    assert time.monotonic() - started < 5
    assert len(reply.proposals) == 100
    assert reply.proposals[0].value == "bassoon"
    assert [(d.reason, d.detail) for d in reply.dropped] == [("over_cap", "9,900 entries")]


def test_a_flood_in_one_value_is_capped_too():
    reply = read({"facts": [fact([f"v{n}" for n in range(500)])]}, max_facts=10)
    assert len(reply.proposals) == 10
    assert sum(d.reason == "over_cap" for d in reply.dropped) >= 1


def test_thousands_of_bad_entries_do_not_make_thousands_of_notes():
    reply = read({"facts": ["no"] * 5000})
    assert len(reply.dropped) == MAX_NOTES + 1
    assert reply.dropped[-1].detail == "4,950 more entries"


def test_the_reasons_repeat_no_value():
    reply = read({"facts": [fact({"pin": "tulip-Harbor-88"}), "tulip-Harbor-88", fact("tulip-Harbor-88" * 100)]})
    assert len(reply.dropped) == 3
    assert "tulip" not in repr(reply.dropped)


MEGA = 10**6
HOSTILE = {
    "opening brackets": "[" * MEGA,
    "opened entries": "[{x" * (MEGA // 3),
    "nested objects": '{"a":' * (MEGA // 5),
    "quotes": '"' * MEGA,
    "opened strings": '{"{"' * (MEGA // 4),
    "remarks": "{//" * (MEGA // 3),
    "backslashes": '["' + "\\" * MEGA,
    "closing brackets": "}]" * (MEGA // 2),
    "broken entries": '[{"a":x},' * (MEGA // 9),
    "a huge number": '[{"key":"a","value":' + "9" * MEGA + "}]",
    "a huge exponent": '[{"key":"a","value":1e' + "9" * 1000 + "}]",
    "white space": '[{"a":x}' + " " * MEGA + "x",
    "thoughts": "<think>" * (MEGA // 7),
    "whole facts": '{"facts":[' + '{"key":"a","value":"b"},' * (MEGA // 24),
}


@pytest.mark.parametrize("raw", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_of_anything_is_read_in_proportion(raw):
    started = time.monotonic()
    with contextlib.suppress(ModelNonsense):
        read(raw)
    assert time.monotonic() - started < 15


def test_it_reads_the_lists_beside_a_summary():
    raw = {"facts": [], "summary": "s", "decisions": ["a", " a", "<think>b", 4, None], "open_questions": "why?"}
    raw["people"] = [{"name": "Ada", "role": "sister"}, {"n": 1}, "x" * 500, *(f"p{n}" for n in range(20))]
    details = read(raw).details
    assert details["decisions"] == ("a", "b")
    assert details["open_questions"] == ("why?",)
    assert details["people"][0] == "Ada"
    assert len(details["people"]) == 10
    assert max(map(len, details["people"])) <= 200


def test_it_takes_a_summary_that_is_an_object():
    reply = read({"facts": [], "summary": {"text": "Of tea.", "decisions": ["Buy tea"]}})
    assert (reply.summary, reply.details) == ("Of tea.", {"decisions": ("Buy tea",)})


def test_lists_without_a_summary_count_for_nothing():
    assert read({"facts": [], "summary": "", "decisions": ["a"]}) == Reply()
    assert read({"summary": "s", "decisions": [fact("x")]}).proposals == ()


def test_it_says_where_only_the_summary_can_be_used():
    reply = read({"facts": "none", "summary": "s"})
    assert (reply.proposals, reply.summary) == ((), "s")
    assert "not a list" in reply.no_facts
    assert read({"facts": [], "summary": "s"}).no_facts == ""
