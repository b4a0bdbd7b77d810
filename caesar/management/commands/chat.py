"""`manage.py chat`: talk in the terminal, with memory."""

from __future__ import annotations

import contextlib
import importlib
import sys
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from caesar.calling import CallFailed, Server, key_in
from caesar.management.command import Verb
from caesar.management.printing import add_json, as_json
from caesar.management.terminal import NOT_UTF8, cell, columns_of, cut, dimmed, harmless, piped, text_argument
from caesar.talk import Given, Talk
from caesar.up.banner import running_address
from memory.errors import InvalidInput

PROMPT = "you: "
INDENT = "  "


class Command(Verb):
    help = (
        "Talk with the running server, with memory. Under each answer stands what memory gave for it, and what was "
        "learned from the conversation since. Ctrl-C breaks an answer off, Ctrl-D ends. With --say, or a text piped "
        "in, it answers once: the answer goes to standard output, all else to standard error."
    )
    examples = (
        "chat",
        'chat --profile anna --space work --say "What did we decide about the venue?"',
        "chat --off-record < letter.txt",
    )

    def add_arguments(self, parser: CommandParser) -> None:
        line = text_argument
        parser.add_argument("--profile", metavar="NAME", type=line, help="whose memory (default: the key's own)")
        parser.add_argument("--space", metavar="NAME", type=line, help="the space to talk in (default: general)")
        parser.add_argument("--off-record", action="store_true", help="recall nothing and keep nothing")
        parser.add_argument(
            "--conversation", metavar="ID", type=line, help="go on with this one (it is told when a chat ends)"
        )
        parser.add_argument("--say", metavar="TEXT", type=line, help="say this, print the answer and exit")
        parser.add_argument("--url", help="where the server listens (default: where the one in CAESAR_HOME does)")
        add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        text = _text(options["say"])
        if text is None and options["json"]:
            raise InvalidInput("--json goes with --say, or with a text that is piped in.")
        config = settings.CAESAR
        key = config.api_key.get_secret_value() or key_in(config.home)
        with Server(url=options["url"] or running_address(config), key=key, profile=options["profile"]) as server:
            self._talk = Talk(
                server,
                space=options["space"],
                off_record=options["off_record"],
                conversation=options["conversation"],
            )
            before = self._talk.go_on()
            if options["json"]:
                self.stdout.write(as_json(self._talk.ask(text or "")))
            elif text is not None:
                self._turn(text)
            else:
                self._greet(server.call("GET", "/v1/profile"), before, options)
                self._until_end()

    def _greet(self, profile: dict[str, Any], before: int, options: dict[str, Any]) -> None:
        self._note(f"Talking as {profile['name']!r}. Ctrl-C breaks an answer off, Ctrl-D ends.")
        if options["off_record"]:
            self._note("Off the record: nothing is recalled, nothing is kept.")
        elif not profile["memory_enabled"]:
            self._note("Memory is off for this profile: nothing is recalled or learned. `profile set` switches it on.")
        if options["conversation"] is not None:
            known = f"what you said so far ({before}) goes along" if before else "nothing was said in it yet"
            self._note(f"Conversation {options['conversation']}: {known}.")

    def _until_end(self) -> None:
        """Turn by turn. What fails is said, and the person may say it again."""
        if sys.stdout.isatty():
            with contextlib.suppress(ImportError):  # not every Python has it
                importlib.import_module("readline")  # what was typed can be edited, and brought back
        try:
            while True:
                text = self._typed()
                if text.strip():
                    self._answered(text)
        except (EOFError, KeyboardInterrupt):
            self.stdout.write("")
        self._farewell()

    def _typed(self) -> str:
        try:
            text = input(PROMPT if sys.stdout.isatty() else "")
            text.encode()
        except UnicodeError:
            self._note(f"That was not understood: {NOT_UTF8}.")
            return ""
        return text

    def _answered(self, text: str) -> None:
        try:
            self._turn(text)
        except CallFailed as error:
            self._note(str(error))
        except KeyboardInterrupt:
            self.stdout.write("")
            self._note("Broken off.")

    def _turn(self, text: str) -> None:
        ended = True
        try:
            with contextlib.closing(self._talk.say(text)) as pieces:
                for piece in pieces:
                    shown = harmless(piece)
                    ended = shown.endswith("\n") if shown else ended
                    self.stdout.write(shown, ending="")
                    self.stdout.flush()
        finally:
            if not ended:
                self.stdout.write("")
                self.stdout.flush()
        given, learned = self._talk.after()
        self._show(given, learned)

    def _show(self, given: Given, learned: list[str]) -> None:
        if given.failed:
            self._note("Memory could not be asked for this answer: `doctor` says why.")
        elif given.notes:
            more = given.count - len(given.notes)
            self._note(f"memory gave {given.count}:")
            for note in given.notes:
                self._note(f"- {note}", short=True)
            if more:
                self._note(f"- and {more} more")
        for each in learned:
            self._note(each, short=True)

    def _farewell(self) -> None:
        try:
            learned = self._talk.learned()
        except CallFailed:
            return  # it was said when it happened
        for each in learned:
            self._note(each, short=True)
        if self._talk.conversation:
            self._note(f"`chat --conversation {self._talk.conversation}` goes on; `facts list` shows what is known.")

    def _note(self, text: str, *, short: bool = False) -> None:
        """A line beside the conversation; a short one takes one line of the terminal."""
        line, columns = INDENT + cell(text), columns_of(self.stderr)
        shown = cut(line, columns) if short and columns else line
        self.stderr.write(dimmed(shown, self.stderr), style_func=str)
        self.stderr.flush()


def _text(said: str | None) -> str | None:
    """What is to be said once; None where a person types. Raises InvalidInput."""
    try:
        text = piped() if said is None else said
    except UnicodeDecodeError:
        raise InvalidInput(f"What is piped in cannot be read: {NOT_UTF8}.") from None
    if text is not None and not text.strip():
        raise InvalidInput("There is nothing to say: give a text.")
    return text
