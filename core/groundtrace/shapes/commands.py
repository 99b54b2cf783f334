"""Which command an exit code is of: through `sh -c`, pipelines, `sudo`, `timeout`, `ssh`, `kubectl exec` and the like.

Reads as much of the shell as that takes, and owns up where it is more: then no code is an answer.
"""

import re
from dataclasses import dataclass, replace

from groundtrace.json_text import JsonValue
from groundtrace.shapes.exit_codes import MEANINGS, Meaning

_TOKEN = re.compile(
    r"""\s*?(?:(?P<redirect>\d*[<>]{1,2}&\d*-?|&>{1,2})"""
    r"""|(?P<joint>\|\||&&|\|&|[|;&\n])"""
    r"""|(?P<word>(?:[^\s'"\\|;&<>]|[<>]|\\.|'[^']*'|"(?:\\.|[^"\\])*")+))[ \t]*""",
    re.DOTALL,
)
_QUOTES = re.compile(r"""'([^']*)'|"((?:\\.|[^"\\])*)"|\\(.)""", re.DOTALL)
_BEYOND = re.compile(r"\$\(|`|<<|<\(")
_KEYWORDS = frozenset("if for while until case { ( function select !".split())
_STRICT = re.compile(r"\bset\s+-\w*e|pipefail|\berrexit\b")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_HIDING = re.compile(r"2>|&>|\|&")
_LONGEST = 20_000

_LOUD = frozenset("cd pushd popd export set umask ulimit source . date echo printf sleep mkdir touch true :".split())
"""Commands that complain on stderr when they fail: without a complaint they did not end it all."""

_SHELLS = frozenset("sh bash dash zsh ash ksh busybox".split())
# Options that take a word of their own; a wrapper's other options stand alone.
_WRAPPERS: dict[str, frozenset[str]] = {
    "sudo": frozenset({"-u", "-g", "-h", "-p", "-C"}),
    "doas": frozenset({"-u", "-C"}),
    "env": frozenset({"-u", "-C"}),
    "nice": frozenset({"-n"}),
    "ionice": frozenset({"-c", "-n"}),
    "stdbuf": frozenset({"-i", "-o", "-e"}),
    "timeout": frozenset({"-s", "-k"}),
    "chroot": frozenset(),
    **{name: frozenset() for name in ("nohup", "time", "setsid", "exec", "unbuffer")},
}
_FIRST_WORD = frozenset({"timeout", "chroot"})
"""Wrappers with one word of their own before the command: a duration, a folder."""

_CONTAINERS = frozenset({"kubectl", "oc", "docker", "podman", "nerdctl", "crictl"})
_CONTAINER_OPTIONS = frozenset({"-u", "--user", "-w", "--workdir", "-e", "--env"})
_SSH_OPTIONS = frozenset({"-p", "-i", "-l", "-o", "-F", "-J", "-L", "-R", "-c", "-b"})
_QUIET = frozenset({"-q", "--quiet", "--silent", "-s", "-z"})
_DEEPEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The command that an exit code is of: its words, without what runs it.

    `before` are commands that may have ended it all first, with a code of their own (`a && b`). `alone`: nothing else
    ran, so nobody else wrote to its outputs. `hidden`: what others complained of may have been thrown away.
    `under_deadline`: it ran under `timeout`.
    """

    words: tuple[str, ...]
    before: tuple[tuple[str, ...], ...] = ()
    alone: bool = True
    hidden: bool = False
    under_deadline: bool = False

    @property
    def name(self) -> str:
        """Return the program's name."""
        return _name(self.words)

    @property
    def is_quiet(self) -> bool:
        """Tell whether it says nothing but its exit code."""
        quiet = not _QUIET.isdisjoint(self.words) or any(re.fullmatch(r"-\w*q\w*", word) for word in self.words[1:])
        return quiet or Meaning.ANSWER in _meanings(self.words).values()

    def meaning(self, code: int, /) -> Meaning | None:
        """Return what the code says of a command that did its work, None where it says that it broke."""
        return _meanings(self.words).get(code)

    def is_sure(self, code: int, /) -> bool:
        """Tell whether no command before it can have ended it all with this code, but to say the same."""
        said = self.meaning(code)
        return all(_is_loud(words) or _meanings(words).get(code) is said for words in self.before)


UNKNOWN = Command(words=(), alone=False)


def command_of(args: JsonValue, /) -> Command:
    """Return the command of a program's arguments, or of a shell's text."""
    if isinstance(args, str):
        return _of_text(args, _DEEPEST)
    if not isinstance(args, list):
        return UNKNOWN
    words = tuple(word for word in args if isinstance(word, str))
    if len(words) == 1 and " " in words[0]:
        return _of_text(words[0], _DEEPEST)
    return _of_words(words, _DEEPEST)


def _of_text(text: str, deeper: int, *, strict: bool = False) -> Command:
    if deeper == 0 or len(text) > _LONGEST or _BEYOND.search(text):
        return UNKNOWN
    parts, joints = _split(text)
    if not parts or any(words[0] in _KEYWORDS for words in parts):
        return UNKNOWN
    strict = strict or _STRICT.search(text) is not None
    before = tuple(words for words, joint in zip(parts, joints, strict=False) if strict or joint == "&&")
    last = _of_words(parts[-1], deeper - 1)
    told = tuple(_of_words(words, deeper - 1).words for words in before)
    alone = last.alone and len(parts) == 1
    hidden = last.hidden or (not alone and _HIDING.search(text) is not None)
    return replace(last, before=(*told, *last.before), alone=alone, hidden=hidden)


def _split(text: str) -> tuple[list[tuple[str, ...]], list[str]]:
    """Return the simple commands of a shell's text, and what stands between them; nothing where it is not read."""
    parts: list[list[str]] = [[]]
    joints: list[str] = []
    at = 0
    text = text.strip().rstrip(";&").rstrip()
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None or token.end() == at:
            return [], []
        at = token.end()
        if token["joint"]:
            joints.append(token["joint"])
            parts.append([])
        elif token["word"]:
            parts[-1].append(_QUOTES.sub(lambda quoted: quoted[1] or quoted[2] or quoted[3] or "", token["word"]))
    kept = [tuple(part) for part in parts if part]
    return (kept, joints) if len(kept) == len(parts) else ([], [])


def _of_words(words: tuple[str, ...], deeper: int) -> Command:
    """Return what runs in the end, beneath what runs it."""
    deadline = False
    for _ in range(2 * _DEEPEST):
        while words and _ASSIGNMENT.match(words[0]):
            words = words[1:]
        name = words[0].rpartition("/")[2] if words else ""
        if name in _SHELLS:
            text = _shell_text(words)
            inner = UNKNOWN if text is None else _of_text(text, deeper, strict=_is_strict(words))
            return replace(inner, under_deadline=deadline or inner.under_deadline)
        deadline = deadline or name == "timeout"
        beneath = _beneath(name, words)
        if beneath is None:
            break
        words = beneath
    return Command(words=words, under_deadline=deadline)


def _shell_text(words: tuple[str, ...]) -> str | None:
    at = next((at for at, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), None)
    return words[at + 1] if at is not None and len(words) > at + 1 else None


def _is_strict(words: tuple[str, ...]) -> bool:
    """Tell a shell whose options end it at the first failure (`-e`, `pipefail`)."""
    options = words[1 : next((at for at, word in enumerate(words) if re.fullmatch(r"-\w*c", word)), 0) + 1]
    return "pipefail" in options or any(re.fullmatch(r"-\w*e\w*", option) for option in options)


def _beneath(name: str, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the words that a wrapper runs, None for a command of its own."""
    if name in _WRAPPERS:
        rest = _without_options(words[1:], _WRAPPERS[name])
        return rest[1:] if name in _FIRST_WORD else rest
    if name in _CONTAINERS and "exec" in words[1:]:
        rest = words[words.index("exec") + 1 :]
        return rest[rest.index("--") + 1 :] if "--" in rest else _without_options(rest, _CONTAINER_OPTIONS)[1:]
    if name == "ssh":
        rest = _without_options(words[1:], _SSH_OPTIONS)[1:]
        return ("sh", "-c", " ".join(rest)) if rest else None
    if re.fullmatch(r"python[\d.]*", name) and words[1:2] == ("-m",):
        return words[2:]
    return None


def _without_options(words: tuple[str, ...], with_word: frozenset[str]) -> tuple[str, ...]:
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in with_word else words[1:]
    return words


def _is_loud(words: tuple[str, ...]) -> bool:
    return _name(words) in _LOUD


def _name(words: tuple[str, ...]) -> str:
    return words[0].rpartition("/")[2] if words else ""


def _meanings(words: tuple[str, ...]) -> dict[int, Meaning]:
    """Return the table of a command: of its name and first word (`git diff`), else of its name."""
    name = _name(words)
    rest = _without_options(words[1:], frozenset({"-C", "-c", "-n", "--namespace", "--context"}))
    return MEANINGS.get(f"{name} {rest[0]}" if rest else name, MEANINGS.get(name, {}))
