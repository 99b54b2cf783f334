"""The call whose result is judged, as rules see it: the tool's name in words, its command line, its arguments' texts.

Whether a tool reads logs or documents matters most: what it returns may quote any error, and is still what was asked.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from groundtrace.inference.tool_words import (
    ACTING_WORDS,
    ASKING_COMMANDS,
    CHECKING_WORDS,
    DOCUMENT_WORDS,
    LOG_WORDS,
    PATH_WORDS,
    PRINTING_COMMANDS,
    PROBING_WORDS,
    READING_COMMANDS,
    READING_WORDS,
)

COMMAND_NAMES = ("command", "cmd", "script", "shell_command", "commandLine", "bash", "input")
SEARCH_NAMES = frozenset("filter keyword keywords match message needle pattern q query regex search term text".split())
"""Arguments that may well recur in what is found; any other argument that an error repeats is what it is about."""

_RUN = re.compile(r"(?:^|[|;&(`\n]|\b(?:sudo|exec|xargs|time|then|do|--) )\s*(?:\w+=\S*\s+)*([\w./+-]+)")
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_MOST_TEXTS = 200
_LONGEST = 4_000


@dataclass(frozen=True, kw_only=True)
class Call:
    """What is known of a call; `arguments` as found, an object or the text of one."""

    tool_name: str
    arguments: object

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the words of the tool's name, in lower case."""
        return frozenset(word.lower() for word in _WORD.findall(self.tool_name[:_LONGEST]))

    @cached_property
    def values(self) -> object:
        """Return the arguments, read from their text where that is JSON."""
        if not isinstance(self.arguments, str):
            return self.arguments
        try:
            return json.loads(self.arguments)
        except (ValueError, RecursionError):
            return self.arguments

    @cached_property
    def command(self) -> str:
        """Return the command line of a shell tool, blank for other tools."""
        found = self.values
        if isinstance(found, dict):
            found = next((found[name] for name in COMMAND_NAMES if name in found), "")
        if isinstance(found, list):
            found = " ".join(part for part in found[:_MOST_TEXTS] if isinstance(part, str))
        return found.strip().strip('"')[:_LONGEST] if isinstance(found, str) else ""

    @cached_property
    def programs(self) -> frozenset[str]:
        """Return every word of the command line, without folders."""
        return frozenset(re.findall(r"[\w.-]+", self.command))

    @cached_property
    def run(self) -> frozenset[str]:
        """Return the programs that the command line runs: the first word of each of its parts."""
        return frozenset(found.rsplit("/", 1)[-1] for found in _RUN.findall(self.command))

    @cached_property
    def prints(self) -> bool:
        """Tell whether the command line does no more than print files, whatever is written in them."""
        return bool(self.run) and self.run <= PRINTING_COMMANDS

    @cached_property
    def acts(self) -> bool:
        """Tell whether the tool changes something, so that a thing it does not find is a failure."""
        return bool(self.words & ACTING_WORDS)

    @cached_property
    def probes(self) -> bool:
        """Tell whether the tool tries whether something answers, so that it does not is its answer."""
        return bool(self.words & PROBING_WORDS)

    @cached_property
    def checks(self) -> bool:
        """Tell whether the tool looks for faults, so that finding none is its answer."""
        return bool(self.words & CHECKING_WORDS or self.programs & CHECKING_WORDS)

    @cached_property
    def reads(self) -> bool:
        """Tell whether the tool hands on logs or documents, in which any sentence may stand."""
        return bool(self.words & READING_WORDS or self.programs & READING_COMMANDS)

    @cached_property
    def opens(self) -> bool:
        """Tell whether the tool opens one document and reads no log: a line about its very name is then no content."""
        return bool(self.words & DOCUMENT_WORDS) and not self.words & LOG_WORDS

    @cached_property
    def quotes(self) -> bool:
        """Tell whether a command line prints stored texts: then even an object of an error is one of these."""
        first = re.match(r"\s*([\w.-]+)", self.command)
        asks = first is not None and first[1] in ASKING_COMMANDS
        return bool(self.programs & READING_COMMANDS) and not asks

    @cached_property
    def names_paths(self) -> bool:
        """Tell whether a path would be the very thing that was asked for."""
        return bool(self.words & PATH_WORDS or self.programs & PATH_WORDS)

    def repeated_in(self, text: str, /) -> bool:
        """Tell whether a text names an argument of the call that is no term of a search."""
        return any(value in text for value in _texts(self.values, "") if 3 <= len(value) <= len(text))


def _texts(value: object, name: str, depth: int = 0) -> Iterator[str]:
    if depth > 8 or name in SEARCH_NAMES:
        return
    match value:
        case str():
            yield from (value, *re.findall(r"[\"']([^\"']{3,200})[\"']", value[:_LONGEST]))
        case dict():
            for key, item in list(value.items())[:_MOST_TEXTS]:
                yield from _texts(item, str(key), depth + 1)
        case list():
            for item in value[:_MOST_TEXTS]:
                yield from _texts(item, name, depth + 1)
        case _:
            return
