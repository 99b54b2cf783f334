"""PostgreSQL's own hash of a text that a table is partitioned by, computed where no server is asked; pure.

It decides which rows are sent together, never where a row is kept: the server places each row itself. The function
cannot change between releases, since rows of hash partitions stay where they are when a server is upgraded.
"""

from functools import lru_cache

_32, _64 = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
# HASH_PARTITION_SEED, halved; the start of `hash_bytes_extended`; what `hash_combine64` adds to a first hash.
_SEED_HIGH, _SEED_LOW = 0x7A5B2236, 0x7996DCFD
_START = 0x9E3779B9 + 3923095
_COMBINED = 0x49A0F4DD15E5A8E3

# Rotations of Bob Jenkins's lookup3: `mix` after each block of twelve bytes, `final` at the end.
_MIX = (4, 6, 8, 16, 19, 4)
_FINAL = (14, 11, 25, 16, 4, 14, 24)

SESSIONS_REMEMBERED = 16_384


@lru_cache(SESSIONS_REMEMBERED)
def partition_hash(text: str, /) -> int:
    """Return the 64-bit number whose rest by a partition's modulus is that partition's remainder.

    Of a partition key of one text column with a deterministic collation, on a little-endian server. Raises
    UnicodeEncodeError for half of a surrogate pair, which no server can hold.
    """
    data = text.encode()
    a = b = c = (_START + len(data)) & _32
    a, b, c = _mixed((a + _SEED_HIGH) & _32, (b + _SEED_LOW) & _32, c)
    whole = len(data) - len(data) % 12
    for at in range(0, whole, 12):
        a, b, c = _mixed((a + _word(data, at)) & _32, (b + _word(data, at + 4)) & _32, (c + _word(data, at + 8)) & _32)
    # The lowest byte of the last word stands for the length, which is in the start already.
    c += int.from_bytes(data[whole + 8 :], "little") << 8
    return (_ended((a + _word(data, whole)) & _32, (b + _word(data, whole + 4)) & _32, c & _32) + _COMBINED) & _64


def _word(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "little")


def _turned(word: int, by: int) -> int:
    return (word << by | word >> 32 - by) & _32


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for by in _MIX:
        a = (a - c & _32) ^ _turned(c, by)
        c = c + b & _32
        a, b, c = b, c, a
    return a, b, c


def _ended(a: int, b: int, c: int) -> int:
    for by in _FINAL:
        c = (c ^ b) - _turned(b, by) & _32
        a, b, c = b, c, a
    # Seven turns have left the second word in `a` and the third in `b`.
    return a << 32 | b
