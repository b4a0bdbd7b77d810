"""Ordinary numbers and codes of many shapes, drawn at random: none of them is anybody's secret.

python -m tests.memory.domain.sensitive.ordinary        counts false alarms over 10,000 of each shape
"""

from __future__ import annotations

import random
import string
import uuid
from collections import Counter
from collections.abc import Callable

from memory.domain.sensitive import ALWAYS_REFUSED, find


def digits(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.digits) for _ in range(count))


def letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(string.ascii_uppercase) for _ in range(count))


def date(rng: random.Random) -> tuple[int, int, int]:
    return rng.randint(1990, 2035), rng.randint(1, 12), rng.randint(1, 28)


def isbn13(rng: random.Random) -> str:
    body = rng.choice(["978", "979"]) + digits(rng, 9)
    check = -sum(int(d) * (1, 3)[i % 2] for i, d in enumerate(body)) % 10
    return f"{body[:3]}-{body[3]}-{body[4:6]}-{body[6:]}-{check}"


ABROAD = ["44", "49", "372", "358", "1", "81"]
MOBILES = ["1", "79", "336", "4670", "4673", "372"]

SHAPES: dict[str, Callable[[random.Random], str]] = {
    "phone, international": lambda r: f"call +{r.choice(ABROAD)} {digits(r, 3)} {digits(r, 3)} {digits(r, 4)}",
    "phone, national": lambda r: f"my number is 0{digits(r, 3)} {digits(r, 3)} {digits(r, 4)}",
    "phone, american": lambda r: f"({r.randint(200, 989)}) {r.randint(200, 989)}-{digits(r, 4)}",
    "phone, bare, eleven digits": lambda r: f"text {r.choice(MOBILES)}{digits(r, 10)}"[:16],
    "order id, ten digits": lambda r: f"order {digits(r, 10)}",
    "order id, bare, eleven digits": lambda r: digits(r, 11),
    "order id, bare, twelve digits": lambda r: digits(r, 12),
    "order id, by date": lambda r: "order {:02}{:02}{:02}-{}".format(date(r)[0] % 100, *date(r)[1:], digits(r, 4)),
    "order id, sixteen digits, named": lambda r: f"my order number is {digits(r, 16)}",
    "order id, with letters": lambda r: f"ORD-{r.randint(2015, 2030)}-{digits(r, 6)}",
    "order id, three groups": lambda r: f"{digits(r, 3)}-{digits(r, 7)}-{digits(r, 7)}",
    "date, iso": lambda r: "{}-{:02}-{:02}".format(*date(r)),
    "date and time": lambda r: "on {}-{:02}-{:02} at {:02}:{:02}".format(*date(r), r.randint(0, 23), r.randint(0, 59)),
    "date, european": lambda r: "{2}.{1}.{0}".format(*date(r)),
    "timestamp": lambda r: f"ts {r.randint(1_000_000_000_000, 1_999_999_999_999)}",
    "price": lambda r: f"it costs {r.randint(1, 99_999):,}.{digits(r, 2)} EUR",
    "amount": lambda r: f"about {r.randint(10_000_000, 999_999_999)} people",
    "isbn-13": lambda r: f"ISBN {isbn13(r)}",
    "isbn-13, bare": lambda r: isbn13(r).replace("-", ""),
    "isbn-10": lambda r: f"ISBN {digits(r, 9)}{r.choice('0123456789X')}",
    "version": lambda r: f"v{r.randint(0, 40)}.{r.randint(0, 99)}.{r.randint(0, 9999)}",
    "ticket id": lambda r: f"{letters(r, r.randint(2, 5))}-{r.randint(1, 99_999)}",
    "commit": lambda r: f"commit {r.getrandbits(160):040x}",
    "short commit": lambda r: f"{r.getrandbits(40):010x}",
    "uuid": lambda r: str(uuid.UUID(int=r.getrandbits(128), version=4)),
    "ip address": lambda r: ".".join(str(r.randint(0, 255)) for _ in range(4)),
    "mac address": lambda r: ":".join(f"{r.getrandbits(8):02x}" for _ in range(6)),
    "coordinates": lambda r: f"{r.uniform(-90, 90):.6f}, {r.uniform(-180, 180):.6f}",
    "tracking number": lambda r: f"{letters(r, 2)}{digits(r, 9)}{letters(r, 2)}",
    "parcel, twelve digits": lambda r: f"tracking {digits(r, 12)}",
    "flight": lambda r: f"flight {letters(r, 2)} {r.randint(10, 9999)} seat {r.randint(1, 40)}{r.choice('ABCDEF')}",
    "postcode": lambda r: f"{digits(r, 5)} {r.choice(['Berlin', 'Oslo', 'Graz'])}",
    "british postcode": lambda r: f"{letters(r, 2)}{r.randint(1, 20)} {r.randint(1, 9)}{letters(r, 2)}",
    "number plate": lambda r: f"{digits(r, 3)} {letters(r, 3)}",
    "snowflake": lambda r: f"{r.randint(10**17, 2 * 10**18)}",
    "file name": lambda r: f"IMG_{digits(r, 8)}_{digits(r, 6)}.jpg",
    "model number": lambda r: f"{letters(r, 3)}{digits(r, 4)}{letters(r, 1)}",
    "hex colour": lambda r: f"#{r.getrandbits(24):06x}",
    "measurements": lambda r: f"{r.randint(1, 999)} x {r.randint(1, 999)} x {r.randint(1, 999)} mm",
    "list of numbers": lambda r: ", ".join(str(r.randint(1, 9999)) for _ in range(6)),
    "groups of four, failing the check": lambda r: _not_a_card(r),
}  # fmt: skip

# Beyond any shape's reach: one in ten of them passes Luhn's check and one in four begins like a card.
BARE_SIXTEEN: Callable[[random.Random], str] = lambda r: digits(r, 16)  # noqa: E731


def _not_a_card(rng: random.Random) -> str:
    while True:
        number = digits(rng, 16)
        if sum(sum(divmod(int(d) * (1 + i % 2), 10)) for i, d in enumerate(reversed(number))) % 10:
            return " ".join(number[i : i + 4] for i in range(0, 16, 4))


def false_alarms(shape: Callable[[random.Random], str], count: int, seed: int = 1) -> list[tuple[str, str]]:
    """The texts of this shape in which one of the first three classes was found, with the kind."""
    rng = random.Random(seed)
    texts = (shape(rng) for _ in range(count))
    return [(text, found[0].kind) for text in texts if (found := find(text, classes=ALWAYS_REFUSED))]


def main() -> None:
    """Prints the table."""
    total = 0
    for name, shape in (*SHAPES.items(), ("sixteen digits, bare", BARE_SIXTEEN)):
        alarms = false_alarms(shape, 10_000)
        total += len(alarms) if name in SHAPES else 0
        print(f"{name:36} {len(alarms) / 100:6.2f} %  {dict(Counter(kind for _, kind in alarms))}")
    print(f"{'all but the last':36} {total / (100 * len(SHAPES)):7.3f} %")


if __name__ == "__main__":
    main()
