"""A port that cannot be used is one sentence."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator

import pytest

from caesar.embedded.errors import CannotStart
from caesar.up import ports


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_it_accepts_a_free_port() -> None:
    ports.check_free("127.0.0.1", 0)


def test_it_says_who_has_the_port_and_how_to_take_another(taken: int) -> None:
    with pytest.raises(CannotStart) as caught:
        ports.check_free("127.0.0.1", taken)
    sentence = str(caught.value)
    assert f"Port {taken} on 127.0.0.1 is taken by" in sentence
    assert f"(pid {os.getpid()})" in sentence
    free = int(sentence.rsplit("CAESAR_PORT=", 1)[1].rstrip("."))
    ports.check_free("127.0.0.1", free)


def test_it_sees_a_port_that_is_taken_on_another_address(taken: int) -> None:
    with pytest.raises(CannotStart, match="is taken"):
        ports.check_free("0.0.0.0", taken)


def test_it_names_the_setting_that_chooses_the_port(taken: int) -> None:
    with pytest.raises(CannotStart, match="CAESAR_LLM__BUILTIN__PORT"):
        ports.check_free("127.0.0.1", taken, "CAESAR_LLM__BUILTIN__PORT")


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_it_says_that_an_address_is_not_ours(host: str) -> None:
    with pytest.raises(CannotStart, match=f"CAESAR_HOST={host} is no address of this machine"):
        ports.check_free(host, 8000)
