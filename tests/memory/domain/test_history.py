"""Which messages of a resent history are new."""

from memory.domain.history import Incoming, Match, Seen, match


def said(*words: str) -> list[Incoming]:
    """`u:hello` is the person, `a:hi` the assistant."""
    roles = {"u": "user", "a": "assistant", "t": "tool"}
    return [Incoming(roles[w[0]], w.encode()) for w in words]


def stored(*threads: tuple[str, list[str]]) -> list[Seen]:
    rows: list[Seen] = []
    for conversation, words in threads:
        parent = None
        for message in said(*words):
            rows.append(Seen(len(rows) + 1, conversation, parent, message.role, message.digest))
            parent = len(rows)
    return rows


def test_it_takes_a_first_message_as_new():
    assert match(said("u:hi"), []) == Match(None, None, (0,), frozenset())


def test_it_takes_the_same_first_message_as_a_new_conversation():
    found = match(said("u:hi"), stored(("A", ["u:hi", "a:hello"])))
    assert found.conversation is None
    assert found.fresh == (0,)
    assert not found.known


def test_it_finds_the_conversation_and_only_the_last_message_is_new():
    found = match(said("u:1", "a:1", "u:2", "a:2", "u:3"), stored(("A", ["u:1", "a:1", "u:2", "a:2"])))
    assert (found.conversation, found.last, found.fresh) == ("A", 4, (4,))


def test_it_prefers_the_longest_run():
    rows = stored(("A", ["u:hi", "a:hello", "u:x", "a:x"]), ("B", ["u:hi", "a:hello", "u:y", "a:y"]))
    found = match(said("u:hi", "a:hello", "u:y", "a:y", "u:z"), rows)
    assert found.conversation == "B"


def test_it_recognises_a_trimmed_history():
    rows = stored(("A", ["u:1", "a:1", "u:2", "a:2", "u:3", "a:3"]))
    found = match(said("u:2", "a:2", "u:3", "a:3", "u:4"), rows)
    assert (found.conversation, found.fresh) == ("A", (4,))


def test_it_forks_at_an_edited_message():
    rows = stored(("A", ["u:1", "a:1", "u:2", "a:2"]))
    found = match(said("u:1", "a:1", "u:2 edited"), rows)
    assert (found.conversation, found.last, found.fresh) == ("A", 2, (2,))
    assert not found.known


def test_it_never_reads_a_known_message_again_after_a_fork():
    rows = stored(("A", ["u:1", "a:1", "u:2", "a:2", "u:3", "a:3"]))
    found = match(said("u:1", "a:1", "u:x", "a:new", "u:3", "a:3", "u:4"), rows)
    assert found.fresh == (2, 6)
    assert not found.known


def test_it_reads_a_message_once_when_another_answer_is_asked_for():
    rows = stored(("A", ["u:1", "a:1", "u:2", "a:2"]))
    found = match(said("u:1", "a:1", "u:2"), rows)
    assert found.known == {2}
    assert found.last == 3


def test_it_goes_on_past_an_answer_that_the_client_changed():
    rows = stored(("A", ["u:1", "a:1", "u:2", "a:2"]))
    found = match(said("u:1", "a:1 trimmed", "u:2", "a:2", "u:3"), rows)
    assert (found.conversation, found.fresh) == ("A", (4,))


def test_it_does_not_take_a_lone_greeting_for_a_conversation():
    rows = stored(("A", ["u:hi", "a:hello"]))
    found = match(said("u:hi", "a:a stranger's answer", "u:next"), rows)
    assert found.conversation is None
    assert found.fresh == (0, 1, 2)


def test_it_knows_the_turn_of_a_tool_result():
    rows = stored(("A", ["u:weather", "a:call"]))
    found = match(said("u:weather", "a:call", "t:7C"), rows)
    assert (found.conversation, found.fresh) == ("A", (2,))


def test_it_stays_fast_with_many_equal_messages():
    rows = stored(*[(f"C{n}", ["u:ok", "a:ok"]) for n in range(1500)])
    found = match(said(*["u:ok", "a:ok"] * 50, "u:ok"), rows)
    assert found.conversation is not None


def test_it_does_not_read_what_it_knows_from_another_conversation_again():
    rows = stored(("A", ["u:1", "a:1", "u:2", "a:2"]))
    found = match(said("u:new start", "a:x", "u:2", "a:y", "u:4"), rows)
    assert found.known == {2}


def test_it_knows_what_a_client_sends_again_without_our_answers():
    rows = stored(("A", ["u:1", "a:1"]), ("B", ["u:x", "a:x"]))
    named = match(said("u:1", "u:2"), rows, conversation="A")
    assert (named.last, named.fresh) == (1, (1,))
    unnamed = match(said("u:1", "u:2"), rows)
    assert unnamed.known == {0}
    assert 1 not in unnamed.known


def test_it_knows_the_first_message_of_a_named_conversation_when_another_answer_is_asked_for():
    found = match(said("u:1"), stored(("A", ["u:1", "a:1"])), conversation="A")
    assert found.repeated == {0}


def test_it_takes_several_new_messages_at_once_as_new():
    found = match(said("u:1", "a:1", "u:2", "u:3"), stored(("A", ["u:1", "a:1"])))
    assert (found.fresh, found.known) == ((2, 3), frozenset())
