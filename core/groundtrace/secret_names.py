"""Which parameter names promise a secret value: tables of names, compared without case and punctuation."""

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

NAME_CHARACTERS = 120
"""A longer key is no parameter's name; it is redacted as text."""

# `X-Api-Key`, `apiKey`, `OPENAI_API_KEY` end in `apikey`; `max_tokens`, `tokenizer`, `primary_key` in none.
KIND_BY_ENDING: Mapping[str, str] = MappingProxyType(
    {
        "password": "password",
        "passwd": "password",
        "passphrase": "password",
        "passcode": "password",
        "pwd": "password",
        "secret": "secret",
        "secrets": "secret",
        "credential": "secret",
        "credentials": "secret",
        "connectionstring": "dsn",
        "dsn": "dsn",
        "token": "token",
        "authtokens": "token",
        "accesstokens": "token",
        "apitokens": "token",
        "jwt": "token",
        "authorization": "authorization",
        "basicauth": "authorization",
        "cookie": "cookie",
        "cookies": "cookie",
        **dict.fromkeys(
            (
                f"{word}key{plural}"
                for word in (
                    "api access secret private signing encryption account auth shared master subscription license "
                    "service ssh storage webhook deploy"
                ).split()
                for plural in ("", "s")
            ),
            "key",
        ),
    }
)

_ENDINGS = tuple(KIND_BY_ENDING)

# Too short to be told from other words by their ending.
KIND_BY_NAME: Mapping[str, str] = MappingProxyType(
    {"auth": "authorization", "pass": "password", "pin": "password", "sig": "signature", "bearer": "token"}
)

HARMLESS_ENDINGS = ("pagetoken", "nexttoken", "continuationtoken", "synctoken", "stoptoken", "eostoken")


def secret_kind(name: str, /) -> str | None:
    """Return the kind of secret that a parameter of this name holds, None for an ordinary parameter."""
    return kind_by_name(name) if len(name) <= NAME_CHARACTERS else None


@lru_cache(maxsize=2_048)
def kind_by_name(name: str, /) -> str | None:
    """Return what `secret_kind` does, of a name that is not too long to be remembered."""
    plain = "".join(filter(str.isalnum, name)).lower()
    if plain in KIND_BY_NAME:
        return KIND_BY_NAME[plain]
    if not plain.endswith(_ENDINGS) or plain.endswith(HARMLESS_ENDINGS):
        return None
    return next((kind for ending, kind in KIND_BY_ENDING.items() if plain.endswith(ending)), None)
