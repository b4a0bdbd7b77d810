"""A running server, spoken to as any program would: over HTTP, with a key."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import httpx

from memory.errors import CaesarError

ANSWER_SECONDS = 600.0  # the server has limits of its own, which are shorter
CONNECT_SECONDS = 10.0
MOST_SAID = 300


class CallFailed(CaesarError):
    """No answer that can be used; the message says why, and what to do where something can be done."""


class Server:
    """One server, for one key and one profile (None: the key's own). A context manager that hangs up at its end."""

    def __init__(self, *, url: str, key: str, profile: str | None = None) -> None:
        headers = [(b"Authorization", f"Bearer {key}".encode())]
        if profile is not None:
            headers.append((b"X-Caesar-Profile", profile.encode()))
        timeout = httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS)
        try:
            self._http = httpx.Client(base_url=url, headers=headers, timeout=timeout)
        except httpx.InvalidURL as error:
            raise CallFailed(f"{url} is no address ({error}): it looks like http://127.0.0.1:8000.") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def call(self, method: str, path: str, body: Any = None, **query: Any) -> dict[str, Any]:
        """The JSON of the answer. Raises CallFailed."""
        with self._translated():
            answer = self._http.request(method, path, json=body, params=query)
        self._check(answer)
        try:
            return dict(answer.json())
        except (ValueError, TypeError):
            raise CallFailed(f"What answers at {self._http.base_url} is no CAESAR memory.") from None

    @contextmanager
    def stream(self, path: str, body: Any) -> Iterator[httpx.Response]:
        """An answer that comes line by line. Raises CallFailed, also while it is read."""
        with self._translated(), self._http.stream("POST", path, json=body) as answer:
            if answer.is_error:
                answer.read()
            self._check(answer)
            yield answer

    @contextmanager
    def _translated(self) -> Iterator[None]:
        where = self._http.base_url
        try:
            yield
        except (httpx.ConnectError, httpx.UnsupportedProtocol) as error:
            raise CallFailed(f"No server answers at {where} ({error}): start it with `make up`.") from None
        except httpx.TimeoutException:
            raise CallFailed(f"The server at {where} does not answer in time; its log says what it does.") from None
        except httpx.HTTPError as error:
            raise CallFailed(f"The server at {where} broke off: {error or type(error).__name__}.") from None

    def _check(self, answer: httpx.Response) -> None:
        if answer.is_success:
            return
        if answer.status_code == 401:
            raise CallFailed(
                f"The server at {self._http.base_url} does not know the key: `python3 manage.py apikey create` makes "
                "one, CAESAR_API_KEY gives it."
            )
        raise CallFailed(said_in(answer))


def lines_of(answer: httpx.Response) -> Iterator[str]:
    """The lines of an answer as they come, parted at newlines alone: text has other line ends in it."""
    rest = b""
    for piece in answer.iter_bytes():
        *whole, rest = (rest + piece).split(b"\n")
        yield from (line.decode().removesuffix("\r") for line in whole)


def said_in(answer: httpx.Response) -> str:
    """What an error says: the sentence of ours, else whatever came."""
    try:
        return str(answer.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return f"{answer.request.url}: {answer.status_code} {answer.text[:MOST_SAID]}"


def key_in(home: Path) -> str:
    """The API key that the first start wrote."""
    try:
        return (home / "api-key").read_text().strip()
    except OSError:
        raise CallFailed(f"There is no API key in {home}: start the server with `make up` first.") from None
