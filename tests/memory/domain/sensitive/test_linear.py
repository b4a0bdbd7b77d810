"""No text makes it slow: a megabyte of the worst that is known takes less than two seconds of one core."""

import random
import time
from collections.abc import Callable

import pytest

from memory.domain.sensitive import find

SIZE = 250_000
SECONDS = 1.0  # for a quarter of a megabyte: room for a busy machine


def drawn(piece: Callable[[random.Random], str]) -> str:
    rng = random.Random(3)
    parts: list[str] = []
    while sum(map(len, parts[-1000:])) * max(1, len(parts) // 1000) < SIZE:
        parts.append(piece(rng))
    return "".join(parts)[:SIZE]


def number(rng: random.Random, count: int) -> str:
    return "".join(rng.choice("0123456789") for _ in range(count))


WORST = {
    "one letter": "a",
    "digits": "1234567890",
    "letters and digits": "a1",
    "letters and underscores": "a_",
    "groups like a card's": "4111 ",
    "password": "password ",
    "password is": "password is ",
    "password:": "password:",
    "is my password": "is my password ",
    "pins": "pin 47 ",
    "open quotes": 'password "',
    "keys": "api key x7Kd83mQ0zTtR3nPq7Lx ",
    "ibans that fail": "DE89 3704 0044 0532 0130 01 ",
    "tokens begun": "-eyJ",
    "keys begun": "sk-",
    "urls begun": "://a:b@",
    "key blocks begun": "-----BEGIN PRIVATE KEY-----",
    "seed phrases begun": "seed phrase legal winner thank ",
    "a diagnosis": "depression ",
    "a diagnosis not told": "is my very own cancer ",
    "combining marks": "\u0301\u0316",
    "invisible characters": "4\u200b",
    "chinese": "密码是",
    "japanese": "パスワードは",
    "voiced marks": "か\u3099",
    "test names": "test_password",
    "markers": "[redacted: credential] ",
    "white space": " \n\t",
}
DRAWN = {
    "numbers like a card's": lambda r: f"4{number(r, 3)} ",
    "numbers beside many words": lambda r: f"bsn nif tfn sin number {number(r, 9)} ",
    "long numbers beside many words": lambda r: f"personal code id number hetu pesel cpr egn {number(r, 11)} ",
    "all of the lower planes": lambda r: chr(r.randint(32, 0x2FFF)),
}


@pytest.fixture(scope="module", autouse=True)
def _tables_read():
    find("I have diabetes, I am Catholic, my PIN is 4711, 私はうつ病です, card 4111 1111 1111 1111, ssn 536-90-4399")


@pytest.mark.parametrize("name", [*WORST, *DRAWN])
def test_it_stays_linear(name):
    text = drawn(DRAWN[name]) if name in DRAWN else (WORST[name] * SIZE)[:SIZE]
    begun = time.process_time()
    find(text)
    assert time.process_time() - begun < SECONDS
