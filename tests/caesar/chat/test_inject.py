"""Where memory stands among the messages."""

from __future__ import annotations

from typing import Any

from caesar.chat.inject import with_memory

USER: dict[str, Any] = {"role": "user", "content": "Hi"}
SYSTEM = {"role": "system", "content": "Be brief."}


def test_it_adds_nothing_where_there_is_nothing_to_say() -> None:
    assert with_memory([SYSTEM, USER], system_prompt=" \n", block="") == [SYSTEM, USER]


def test_it_stands_first_where_the_client_has_no_system_message() -> None:
    assert with_memory([USER], system_prompt="", block="B") == [{"role": "system", "content": "B"}, USER]


def test_it_stands_after_the_clients_leading_system_messages_and_joins_the_operators_prompt() -> None:
    found = with_memory([SYSTEM, SYSTEM, USER, SYSTEM], system_prompt="P", block="B")
    assert found == [SYSTEM, SYSTEM, {"role": "system", "content": "P\n\nB"}, USER, SYSTEM]


def test_it_takes_the_developers_role_where_the_client_does() -> None:
    developer = {"role": "developer", "content": "Be brief."}
    assert with_memory([developer, USER], system_prompt="", block="B")[1]["role"] == "developer"


def test_it_never_parts_a_tool_call_from_its_result() -> None:
    calls: list[dict[str, Any]] = [{"role": "assistant", "tool_calls": []}, {"role": "tool", "content": "7C"}]
    assert with_memory([USER, *calls], system_prompt="", block="B")[1:] == [USER, *calls]
