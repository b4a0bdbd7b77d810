"""Every command of the documentation, run line by line as it stands there, against one running product."""

from __future__ import annotations

import io
import time
import warnings
from contextlib import chdir, redirect_stdout
from pathlib import Path

import pytest

from caesar.reference import events
from tests.docs import comparing, reading
from tests.docs.product import Done, Product, Shell
from tests.docs.reading import Block
from tests.processes import ROOT

# What memory needs until it has read a chat; a document that shows what comes of it says that it takes a while.
PATIENCE_SECONDS = 30.0
DOCUMENTS = sorted(
    {block.document for block in reading.of_language("sh")}, key=lambda path: (path.name != "tutorial.md", path)
)
# Who has an account where a document begins to speak of them.
ACCOUNTS = {"household.md": "bert"}


@pytest.mark.timeout(400)
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_each_command_does_what_the_document_says(product: Product, document: Path) -> None:
    shell = Shell(product)
    if document.name in ACCOUNTS:
        shell.account(ACCOUNTS[document.name])
    for block in reading.blocks(document):
        match block.language:
            case "sh":
                type_in(shell, block)
            case "python" if document.name != "openai-clients.md":  # whose clients have tests of their own
                run_python(product, block)
            case "sql":
                product.ask_database(block.text)
    for line in filter(of_the_machine, reading.inline_code(document)):
        done = shell.run(line.replace("--profile NAME", "--profile tls"))
        assert done.well, f"{document.name}: {line}\n{done.out}"


def of_the_machine(line: str) -> bool:
    """What is told in passing and is for other programs than this one. What is for this one, test_named.py parses."""
    return line.startswith(("docker ", "systemctl ", "git pull")) and "<" not in line and len(line.split()) > 2


def run_python(product: Product, block: Block) -> None:
    said = io.StringIO()
    with chdir(product.clone), redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # of a file that is read in passing
        exec(compile(product.here(block.text), block.name, "exec"), {})
    assert said.getvalue()
    if block.shown:
        assert comparing.shows(block.shown.text, block.shown.language, said.getvalue()), said.getvalue()


def type_in(shell: Shell, block: Block) -> None:
    shell.anew()
    commands = block.commands()
    assert commands, f"{block.name}: no command is in it"
    for line in commands:
        done = shell.run(line)
        assert done.well, f"{block.name}: {line}\n{done.out}"
    if block.shown:
        compare(shell, block, block.shown, commands[-1], done)


def compare(shell: Shell, block: Block, shown: Block, line: str, done: Done) -> None:
    """What only reads is asked again until it shows what it should: a worker may still be reading."""
    end = time.monotonic() + (PATIENCE_SECONDS if only_reads(line) else 0)
    while not comparing.shows(shown.text, shown.language, done.out):
        assert time.monotonic() < end, f"{block.name}: {line}\nsaid\n{done.out}\nand not\n{shown.text}"
        time.sleep(0.3)
        done = shell.run(line)


def only_reads(line: str) -> bool:
    return line.startswith("curl") and not any(f" {option} " in line for option in ("-X", "-d", "-F"))


def test_what_the_log_tells_of_all_that_is_in_the_reference(product: Product) -> None:
    told = {event.value: set(each.payload) for event, each in events.told().items()}
    logged = product.events()
    assert logged
    assert {event: found - told[event] for event, found in logged.items() if found - told[event]} == {}
