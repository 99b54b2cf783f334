"""Texts with secrets, halves of secrets and log lines, for properties of redaction."""

from hypothesis import strategies as st

from groundtrace.secret_shapes import SHAPES

WEB_TOKEN = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."

SECRETS = (
    "api_key=sk-test-AAAABBBBCCCCDDDD",
    f"Authorization: Bearer {WEB_TOKEN}",
    "authorization: Basic YW5uOmh1bnRlcjI=",
    f"bearer {WEB_TOKEN}",
    "Cookie: sid=abc; theme=dark",
    "https://user:pw12345@api.example.test/v1",
    "https://0123456789abcdef0123@example.test/5",
    "to=https%3A%2F%2Fann%3Apw12345%40db.test%2Fx",
    "?token=tok-998877&q=error+rate",
    "?a=1&key=k-1&sig=a%2Fb%3D",
    "PGPASSWORD=hunter2hunter2",
    "run --password letmein99 --api-key abc-1 --token abc-2 --client-secret abc-3",
    '{"client_secret": "abcDEF123", \\"password\\": \\"a b\\"}',
    "<AccessToken>abcDEF123</AccessToken>",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijklmnop",
    "AKIAABCDEFGHIJKLMNOP ASIAABCDEFGHIJKLMNOP",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "SG.abcdefghijklmnop1234.abcdefghijklmnop1234",
    "glpat-abcdefghij0123456789 xoxb-1234567890-abcdef xapp-1-abcdefghij",
    "https://hooks.slack.com/services/T000/B000/XXXX1",
    "npm_abcdefghijklmnopqrstuvwxyz0123456789 hf_abcdefghijklmnopqrstuvwxyz",
    "pypi-abcdefghijklmnopqrstuvwxyz0123456789",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/AB==\n-----END RSA PRIVATE KEY-----",
    "[redacted token 0123ab]",
)
"""One of each shape, as it stands in texts."""

LINES = (
    "2026-03-08T12:00:01Z level=info msg=served path=/cart/items status=200 took=9ms\n",
    "12:00:02 task-manager-service-7f8d7d756d: pool exhausted, max_tokens=4096 count=41\n",
    "connection authorized: user=checkout database=orders host=127.0.0.1 port=52558\n",
    "GET http://example.test:8080/p?e=ann@example.test 200\n",
)

_PIECES = (
    *(letter for shape in SHAPES for letter in shape.first),
    *"password token secret api_key cookie authorization bearer basic sk- eyJ :// @ / : = & ? ' \" \\ -- - ".split(),
    *("\n", " ", "\t", "\u0130", "\u0131", "\u017f", "\u212a", "é", "\u4e00", "Ab1", "12", "null", "%3A", ">"),
)


def _without_one(text: str, at: int) -> str:
    place = at % len(text)
    return text[:place] + text[place + 1 :]


_PARTS = st.one_of(
    st.sampled_from(SECRETS),
    st.sampled_from(SECRETS).map(str.upper),
    st.builds(_without_one, st.sampled_from(SECRETS), st.integers(0, 80)),
    st.sampled_from(LINES),
    st.sampled_from(_PIECES),
    st.text(max_size=8),
)

TEXTS: st.SearchStrategy[str] = st.lists(_PARTS, max_size=16).map("".join)
"""Texts of none to many secrets, whole and broken, between log lines and odd letters."""
