"""/dashboard/chat: the page, and its form where there is no script to stream the answer."""

from __future__ import annotations

import json
from typing import Any

from asgiref.sync import async_to_sync
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.urls import get_script_prefix, reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from caesar.chat_page import whole
from caesar.chat_page.app import PATH as STREAM
from dashboard.filters import spaces_to_talk_in
from dashboard.given_shown import Given, given_to_chat
from dashboard.pages import page
from dashboard.person import Person, own_page
from memory import profile_selectors

ROLES = ("user", "assistant")


@require_http_methods(["GET", "HEAD", "POST"])
@own_page
def talk(request: HttpRequest, person: Person) -> HttpResponse:
    """An empty chat; after the form, the chat with its answer. What was said before comes with the form."""
    if request.method != "POST":
        return _page(request, person, {"turns": []})
    typed = {name: request.POST.get(name, "") for name in ("message", "history", "conversation", "space")}
    off = "off" in request.POST
    turns = _turns(typed["history"])
    shown = {**typed, "turns": turns or [], "off": off, "message": typed["message"]}
    if turns is None:
        return _page(request, person, shown, problem=_("What was said before could not be read."), status=400)
    if not typed["message"].strip():
        return _page(request, person, shown, problem=_("Type a message first."), status=400)
    turns.append({"role": "user", "content": typed["message"]})
    asked: dict[str, Any] = {
        "messages": [{"role": turn["role"], "content": turn["content"]} for turn in turns],
        "space": typed["space"] or None,
        "conversation_id": typed["conversation"] or None,
        "memory": "off" if off else "on",
    }
    connection.close()  # nobody keeps one while a model answers
    answer = async_to_sync(whole.ask)(person.profile, asked)
    if answer.problem:
        return _page(request, person, {**shown, "turns": turns[:-1]}, problem=answer.problem, status=answer.status)
    audit_id = answer.body["audit_log_id"]
    turns.append({"role": "assistant", "content": _text(answer.body["message"]), "audit": audit_id})
    shown |= {"turns": turns, "message": "", "conversation": answer.body["conversation_id"] or typed["conversation"]}
    return _page(request, person, shown, given=given_to_chat(person, int(audit_id)))


def _page(
    request: HttpRequest,
    person: Person,
    shown: dict[str, Any],
    *,
    problem: str = "",
    given: Given | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        **shown,
        "history": json.dumps(shown["turns"], ensure_ascii=False),
        "spaces": spaces_to_talk_in(profile_selectors.spaces(profile_id=person.profile.id)),
        "stream": get_script_prefix().rstrip("/") + STREAM,
        "given_at": reverse("dashboard:chat_given", args=["0"]).removesuffix("0"),
        "problem": problem,
        "given": given,
    }
    return page(request, person, "chat.html", context, name="chat", status=status)


def _turns(history: str) -> list[dict[str, str]] | None:
    """What was said before, as the form carries it; None where that is nothing of ours."""
    try:
        said = json.loads(history or "[]")
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, list) or not all(isinstance(each, dict) for each in said):
        return None
    turns = [{name: each.get(name) for name in ("role", "content", "audit") if name in each} for each in said]
    sound = all(
        turn.get("role") in ROLES
        and isinstance(turn.get("content"), str)
        and isinstance(turn.get("audit", ""), str)
        and turn.get("audit", "0").isascii()
        and turn.get("audit", "0").isdigit()
        for turn in turns
    )
    return turns if sound else None


def _text(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""
