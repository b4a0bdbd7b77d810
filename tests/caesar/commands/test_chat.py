"""manage.py chat, against a real server."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any

import pytest
from django.core.management.base import OutputWrapper
from pydantic import SecretStr

from caesar.calling import CallFailed
from caesar.management.terminal import dimmed
from memory import facts, profiles
from memory.db import operator_scope
from memory.errors import InvalidInput
from memory.models import AuditLog
from tests.caesar.commands.conftest import Ran, run
from tests.people import Person, person
from tests.scripted_model import Status, Text
from workers import tasks


@pytest.fixture
def anna(web, settings, tmp_path) -> Person:
    """She knows the key."""
    anna = person("anna")
    settings.CAESAR = settings.CAESAR.model_copy(update={"home": tmp_path, "api_key": SecretStr(anna.key)})
    return anna


@pytest.fixture
def chat(web, anna) -> Callable[..., Ran]:
    return lambda *arguments: run("chat", "--url", web.url, *arguments)


@pytest.fixture
def typed(chat, monkeypatch) -> Callable[..., Ran]:
    """A chat at a terminal, of lines; one that can be called is called in between, and types nothing."""

    def start(*lines: Any, options: tuple[str, ...] = ()) -> Ran:
        waiting = list(lines)

        def read(prompt: str = "") -> str:
            while waiting and callable(waiting[0]):
                waiting.pop(0)()
            if not waiting:
                raise EOFError
            return waiting.pop(0)

        monkeypatch.setattr("sys.stdin", Keyboard())
        monkeypatch.setattr("builtins.input", read)
        return chat(*options)

    return start


class Keyboard(io.StringIO):
    def isatty(self) -> bool:
        return True


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))


@contextmanager
def another_server() -> Iterator[str]:
    """Whatever it is asked, it answers with a page."""

    class Page(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<h1>It works!</h1>")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Page) as server:
        Thread(target=server.handle_request, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"


def sent(model: Any) -> list[tuple[str, str]]:
    """What the model was asked last, without what memory adds."""
    return [(m["role"], m["content"]) for m in model.chats[-1].json["messages"] if m["role"] != "system"]


def rows() -> list[AuditLog]:
    with operator_scope():
        return list(AuditLog.objects.filter(event_type="chat.completed").order_by("id"))


def test_it_answers_once_and_shows_beside_it_what_memory_gave(chat, anna, model):
    facts.author(profile_id=anna.profile_id, fields={"key": "dog.name", "value": "Beans"})
    facts.author(profile_id=anna.profile_id, fields={"key": "tea.kind", "value": "green"})
    model.reply("A bone for Beans.")
    ran = chat("--say", "What should I get my dog Beans?")
    assert (ran.code, ran.out) == (0, "A bone for Beans.\n")
    lines = ran.err.splitlines()
    assert lines[:2] == ["  memory gave 2:", "  - Your dog's name is Beans."]
    assert "\x1b" not in ran.err


def test_it_takes_its_text_from_a_pipe(chat, model, monkeypatch):
    pipe(monkeypatch, "\ufeffGrüße, 你好\n".encode() + b"x" * 1_000_000)
    chat()
    assert sent(model)[0][1].startswith("Grüße, 你好\nxxx")
    assert len(sent(model)[0][1]) > 1_000_000
    for data in (b"", b" \n"):
        pipe(monkeypatch, data)
        with pytest.raises(InvalidInput, match="nothing to say"):
            chat()
    pipe(monkeypatch, "Grüße".encode("cp1252"))
    with pytest.raises(InvalidInput, match="not UTF-8"):
        chat()
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InvalidInput, match="nothing to say"):
        chat()


def test_it_prints_what_the_route_answers_as_json(chat, anna, model):
    facts.author(profile_id=anna.profile_id, fields={"key": "dog.name", "value": "Beans"})
    answer = chat("--say", "Who is Beans?", "--json", "--conversation", "trip").json
    assert (answer["message"]["content"], answer["conversation_id"]) == ("ok", "trip")
    assert [fact["text"] for fact in answer["memory"]["facts"]] == ["Your dog's name is Beans."]


def test_it_goes_on_turn_by_turn_and_shows_what_was_learned_since(typed, model):
    model.reply("Noted.")
    ran = typed("My dog's name is Beans.", "", tasks.drain, "And how old is he?")
    assert ran.code == 0
    assert ran.out.count("Noted.\n") == 2
    assert sent(model) == [
        ("user", "My dog's name is Beans."),
        ("assistant", "Noted."),
        ("user", "And how old is he?"),
    ]
    told = ran.err.splitlines()
    assert "Talking as 'default'" in told[0]
    assert "  learned: dog.name: Beans" in told
    assert told.count("  learned: dog.name: Beans") == 1
    (conversation,) = {row.conversation_id for row in rows()}
    assert conversation is not None
    assert "goes on; `facts list` shows what is known" in told[-1]


def test_what_is_learned_last_is_told_at_the_end(typed, model):
    assert "  learned: dog.name: Beans" in typed("My dog's name is Beans.", tasks.drain).err


def test_it_goes_on_with_a_conversation(chat, typed, model):
    chat("--conversation", "trip", "--say", "Where shall we go?")
    chat("--conversation", "trip", "--say", "My card is 4111 1111 1111 1111.")
    chat("--conversation", "trip", "--say", "very " * 14_000 + "long")
    model.reply("To Linz.")
    ran = typed("And by which train?", options=("--conversation", "trip"))
    assert "Conversation trip: what you said so far (1) goes along." in ran.err
    # What was masked or cut when it was kept is not said again.
    assert sent(model) == [("user", "Where shall we go?"), ("assistant", "ok"), ("user", "And by which train?")]
    assert [len(row.payload["messages"]) for row in rows()] == [1, 1, 1, 1]


def test_off_the_record_nothing_is_given_or_kept(typed, anna, model):
    facts.author(profile_id=anna.profile_id, fields={"key": "dog.name", "value": "Beans"})
    ran = typed("Who is Beans, my dog?", "And you?", options=("--off-record",))
    assert "Off the record" in ran.err
    assert "memory gave" not in ran.err
    assert "Beans." not in str(model.chats[-1].json["messages"])
    assert len(sent(model)) == 3
    assert [row.payload.get("off_record") for row in rows()] == [True, True]


def test_it_talks_as_somebody_in_a_space(typed, chat, anna, model):
    kim = profiles.resolve(user_id=anna.user_id, name="Kim 김")
    ran = typed("Hello.", options=("--profile", "Kim 김", "--space", "general"))
    assert "Memory is off for this profile" in ran.err
    assert [row.profile_id for row in rows()] == [kim.id]
    with pytest.raises(CallFailed, match="space"):
        chat("--space", "nowhere", "--say", "Hello.")


def test_it_says_what_is_in_the_way(chat, web, model, settings, anna):
    with pytest.raises(CallFailed, match=r"No server answers at http://127.0.0.1:1.*`make up`"):
        run("chat", "--url", "http://127.0.0.1:1", "--say", "x")
    for url in ("nonsense", "http://[", "ftp://127.0.0.1"):
        with pytest.raises(CallFailed):
            run("chat", "--url", url, "--say", "x")
    with another_server() as url, pytest.raises(CallFailed, match="no CAESAR memory"):
        run("chat", "--url", url, "--say", "x", "--json")
    model.reply(Status(500))
    with pytest.raises(CallFailed, match="scripted-1"):
        chat("--say", "x")
    with pytest.raises(CallFailed, match="scripted-1"):
        chat("--say", "x", "--json")
    settings.CAESAR = settings.CAESAR.model_copy(update={"api_key": SecretStr("no-key-of-anybody")})
    with pytest.raises(CallFailed, match="does not know the key"):
        chat("--say", "x")
    settings.CAESAR = settings.CAESAR.model_copy(update={"api_key": SecretStr("")})
    with pytest.raises(CallFailed, match="There is no API key"):
        chat("--say", "x")


def test_it_wants_one_text_for_json(typed):
    with pytest.raises(InvalidInput, match="--say"):
        typed(options=("--json",))
    with pytest.raises(InvalidInput):
        typed(options=("--say", " "))


def test_a_failure_at_the_terminal_is_said_and_the_chat_goes_on(typed, model):
    model.script([Status(500), "Better now.", Text("It breaks off here", hang_up_after=2)])
    ran = typed("One.", "Two.", "Three.")
    assert "scripted-1" in ran.err
    assert "Better now.\n" in ran.out
    assert sent(model) == [("user", "Two."), ("assistant", "Better now."), ("user", "Three.")]
    assert ran.out.endswith("\n")
    assert ran.code == 0


def test_ctrl_c_breaks_an_answer_off_and_then_ends_the_chat(typed, model, monkeypatch):
    write = OutputWrapper.write

    def pressed(self: OutputWrapper, text: str = "", *given: Any, **options: Any) -> None:
        write(self, text, *given, **options)
        if text.startswith("One"):
            raise KeyboardInterrupt

    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(OutputWrapper, "write", pressed)
    model.script([Text(pieces=["One", " two"], interval=0.01), "Five."])
    ran = typed("Count.", "And then?", interrupted)
    assert "Broken off." in ran.err
    assert sent(model) == [("user", "Count."), ("assistant", "One"), ("user", "And then?")]
    assert ran.out.splitlines()[0] == "One"
    assert "Five.\n" in ran.out
    assert ran.code == 0


def test_nothing_in_an_answer_steers_the_terminal(chat, anna, model):
    facts.author(profile_id=anna.profile_id, fields={"value": "Tea is green"})
    model.reply(Text(pieces=["\x1b[2J", "a\r", "\nb\u2028c\u0085", "\u202ed\x9b"], text="x"))
    ran = chat("--say", "Is tea green?")
    assert not set(ran.out) & set("\x1b\r\u202e\x9b\u2028\u0085")
    assert ran.out == "\\x1b[2Ja\nb\\u2028c\\x85\\u202ed\\x9b\n"


def test_notes_are_dim_on_a_terminal_alone(monkeypatch):
    assert dimmed("x", io.StringIO()) == "x"
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert dimmed("x", Keyboard()) == "\x1b[2mx\x1b[0m"
    monkeypatch.setenv("NO_COLOR", "1")
    assert dimmed("x", Keyboard()) == "x"
