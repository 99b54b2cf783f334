"""Secrets become markers, equal ones equal, and nothing else changes (section 4)."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundtrace.json_text import JsonValue, canonical
from groundtrace.redaction import Redactor, redactions
from groundtrace.secret_names import secret_kind
from groundtrace.secret_shapes import SHAPES

KEY = b"0123456789abcdef0123456789abcdef"
REDACTOR = Redactor(KEY)
JWT = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."
PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0A1B\n\n"
    "MIIEow+/AB==\nc2VjcmV0\n-----END RSA PRIVATE KEY-----"
)


def marker(secret: str, kind: str) -> str:
    return f"[redacted {kind} {hmac.new(KEY, secret.encode(), 'sha256').hexdigest()[:6]}]"


TEXTS = [
    ("bearer header", f"Authorization: Bearer {JWT}", "Authorization: Bearer {}", JWT, "authorization"),
    (
        "basic header",
        "authorization: Basic YW5uOmh1bnRlcjI=",
        "authorization: Basic {}",
        "YW5uOmh1bnRlcjI=",
        "authorization",
    ),
    (
        "header in a dict",
        "{'Authorization': 'Bearer abc.def', 'x': 1}",
        "{{'Authorization': 'Bearer {}', 'x': 1}}",
        "abc.def",
        "authorization",
    ),
    (
        "header in lower case json",
        '{"authorization":"tok-1","x":1}',
        '{{"authorization":"{}","x":1}}',
        "tok-1",
        "authorization",
    ),
    (
        "unknown scheme",
        "Authorization: Custom abcdefgh12 x",
        "Authorization: {} x",
        "Custom abcdefgh12",
        "authorization",
    ),
    (
        "many words",
        "Authorization: Digest username=ann, response=77",
        "Authorization: Digest {}",
        "username=ann, response=77",
        "authorization",
    ),
    ("bare bearer", f"sent bearer {JWT} to it", "sent bearer {} to it", JWT, "token"),
    ("cookie header", "Cookie: sid=abc; theme=dark\nHost: a", "Cookie: {}\nHost: a", "sid=abc; theme=dark", "cookie"),
    ("set cookie", "Set-Cookie: sid=abc; HttpOnly", "Set-Cookie: {}", "sid=abc; HttpOnly", "cookie"),
    (
        "password in a url",
        "https://ann:pw-77@api.example.test/v1?q=error+rate",
        "https://ann:{}@api.example.test/v1?q=error+rate",
        "pw-77",
        "password",
    ),
    (
        "password without user",
        "redis://:pw-77@cache.example.test:6379/0",
        "redis://:{}@cache.example.test:6379/0",
        "pw-77",
        "password",
    ),
    ("password with at sign", "amqp://ann:p@ss@mq.example.test", "amqp://ann:{}@mq.example.test", "p@ss", "password"),
    (
        "password with slash",
        "postgresql+psycopg://app:a/b==@db.example.test/x",
        "postgresql+psycopg://app:{}@db.example.test/x",
        "a/b==",
        "password",
    ),
    (
        "token as user",
        "https://0123456789abcdef0123@example.test/5",
        "https://{}@example.test/5",
        "0123456789abcdef0123",
        "token",
    ),
    ("token parameter", "GET /q?token=tok-998877&q=error+rate", "GET /q?token={}&q=error+rate", "tok-998877", "token"),
    ("key parameter", "GET /q?a=1&key=k-1&q=x", "GET /q?a=1&key={}&q=x", "k-1", "key"),
    ("signature parameter", "GET /blob?sv=2&sig=a%2Fb%3D&se=3", "GET /blob?sv=2&sig={}&se=3", "a%2Fb%3D", "signature"),
    ("access token parameter", "/cb#access_token=ya29.a0&state=s", "/cb#access_token={}&state=s", "ya29.a0", "token"),
    ("password", "password=hunter2 user=ann", "password={} user=ann", "hunter2", "password"),
    ("password with comma", "(password=a,b!c, user=ann)", "(password={}, user=ann)", "a,b!c", "password"),
    ("password before a name", "password=abc,user=ann", "password={},user=ann", "abc", "password"),
    ("password in connection string", "Server=db;Pwd=abc;Timeout=5", "Server=db;Pwd={};Timeout=5", "abc", "password"),
    ("quoted password", 'password: "two words" x', 'password: "{}" x', "two words", "password"),
    (
        "json in json",
        '"{\\"password\\": \\"a b\\", \\"n\\": 1}"',
        '"{{\\"password\\": \\"{}\\", \\"n\\": 1}}"',
        "a b",
        "password",
    ),
    ("environment", "PGPASSWORD=hunter2 psql -h db", "PGPASSWORD={} psql -h db", "hunter2", "password"),
    ("option", "psql --password hunter2 -h db", "psql --password {} -h db", "hunter2", "password"),
    ("long option", "run --db-password hunter2 --x", "run --db-password {} --x", "hunter2", "password"),
    ("token option", "run --token abc-1 x", "run --token {} x", "abc-1", "token"),
    ("key option", "run --api-key abc-1 x", "run --api-key {} x", "abc-1", "key"),
    ("client secret", "client_secret: abc-1", "client_secret: {}", "abc-1", "secret"),
    ("yaml key", "  api_key: abc-1\n  user: ann", "  api_key: {}\n  user: ann", "abc-1", "key"),
    ("header key", "X-Api-Key: k-123456", "X-Api-Key: {}", "k-123456", "key"),
    ("aws secret", "AWS_SECRET_ACCESS_KEY=abc/def+1", "AWS_SECRET_ACCESS_KEY={}", "abc/def+1", "key"),
    ("account key", "AccountKey=abc/def==;EndpointSuffix=x", "AccountKey={};EndpointSuffix=x", "abc/def==", "key"),
    ("sk key", "used sk-test-AAAABBBBCCCCDDDD here", "used {} here", "sk-test-AAAABBBBCCCCDDDD", "key"),
    ("live key", "used sk_live_4eC39HqLyjWDarjt here", "used {} here", "sk_live_4eC39HqLyjWDarjt", "key"),
    ("access key id", "id AKIAABCDEFGHIJKLMNOP, x", "id {}, x", "AKIAABCDEFGHIJKLMNOP", "key"),
    ("temporary key id", "id ASIAABCDEFGHIJKLMNOP, x", "id {}, x", "ASIAABCDEFGHIJKLMNOP", "key"),
    (
        "google key",
        "k AIzaSyA1234567890abcdefghijklmnopqrstuv x",
        "k {} x",
        "AIzaSyA1234567890abcdefghijklmnopqrstuv",
        "key",
    ),
    (
        "mail key",
        "SG.abcdefghijklmnop1234.abcdefghijklmnop1234 x",
        "{} x",
        "SG.abcdefghijklmnop1234.abcdefghijklmnop1234",
        "key",
    ),
    (
        "hub token",
        "push ghp_abcdefghijklmnopqrstuvwxyz0123456789 x",
        "push {} x",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "token",
    ),
    (
        "fine hub token",
        "github_pat_11ABCDEFG0abcdefghijklmnop x",
        "{} x",
        "github_pat_11ABCDEFG0abcdefghijklmnop",
        "token",
    ),
    ("lab token", "glpat-abcdefghij0123456789 x", "{} x", "glpat-abcdefghij0123456789", "token"),
    ("chat token", "xoxb-1234567890-abcdef x", "{} x", "xoxb-1234567890-abcdef", "token"),
    (
        "chat hook",
        "https://hooks.slack.com/services/T000/B000/XXXX1 x",
        "https://hooks.slack.com/services/{} x",
        "T000/B000/XXXX1",
        "token",
    ),
    (
        "package token",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789 x",
        "{} x",
        "npm_abcdefghijklmnopqrstuvwxyz0123456789",
        "token",
    ),
    ("web token", f"got {JWT} x", "got {} x", JWT, "token"),
    ("private key", f"key:\n{PEM}\nnext", "key:\n{}\nnext", PEM, "private-key"),
    (
        "private key in json",
        '{"k": "-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----\\n"}',
        '{{"k": "{}\\n"}}',
        "-----BEGIN PRIVATE KEY-----\\nMIIE\\n-----END PRIVATE KEY-----",
        "private-key",
    ),
]


@pytest.mark.parametrize(
    ("text", "shown", "secret", "kind"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS]
)
def test_a_secret_in_text_becomes_a_marker_and_the_rest_stays(text: str, shown: str, secret: str, kind: str) -> None:
    expected = shown.format(marker(secret, kind))
    assert REDACTOR.text(text) == expected
    assert REDACTOR.text(expected) == expected
    assert redactions(expected) == {kind: 1}


@pytest.mark.parametrize(
    "text",
    [
        "token bucket refill for key user:42",
        "max_tokens=4096 input_tokens: 12 tokenizer=bpe primary_key: id",
        "syntax error: unexpected token: }",
        "bearer authentication failed for user ann",
        "basic authentication is disabled here",
        "forgot-password page loads slowly",
        "http://example.test:8080/p?e=ann@example.test",
        "mail ann@example.test about task-manager-service-7f8d7d756d",
        '2026-03-08T12:00:01Z level=error msg="pool exhausted" count=41 retry_token=3',
        "password=null token: none secret=",
        "bypass=1 compass: north monkey=2 keyboard: us",
        "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
        "org.example.Session@1a2b3c closed",
        "git@example.test:team/repo.git and ssh://git@example.test/x",
    ],
)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    assert REDACTOR.text(text) is text


def test_parameters_keep_what_is_no_secret() -> None:
    """Field case B19."""
    params: JsonValue = {
        "api_key": "sk-test-EEEEFFFFGGGGHHHH",
        "headers": {"Authorization": f"Bearer {JWT}", "X-Api-Key": "k-654321", "Accept": "text/plain"},
        "url": "https://ann:pw54321@metrics.example.test/v1?token=tok-112233&q=error+rate",
        "dsn": "postgresql://app:t0ps3cret@db.example.test/x",
        "max_tokens": 2048,
        "input_tokens": 3,
        "tokenizer": "bpe",
        "query": "token bucket refill for key user:7",
        "primary_key": "id",
    }
    shown = REDACTOR.value(params)
    assert isinstance(shown, dict)
    assert shown == {
        "api_key": marker("sk-test-EEEEFFFFGGGGHHHH", "key"),
        "headers": {
            "Authorization": f"Bearer {marker(JWT, 'authorization')}",
            "X-Api-Key": marker("k-654321", "key"),
            "Accept": "text/plain",
        },
        "url": f"https://ann:{marker('pw54321', 'password')}@metrics.example.test/v1"
        f"?token={marker('tok-112233', 'token')}&q=error+rate",
        "dsn": f"postgresql://app:{marker('t0ps3cret', 'password')}@db.example.test/x",
        "max_tokens": 2048,
        "input_tokens": 3,
        "tokenizer": "bpe",
        "query": "token bucket refill for key user:7",
        "primary_key": "id",
    }
    assert REDACTOR.value(shown) == shown
    assert redactions(canonical(shown)) == {"authorization": 1, "key": 2, "password": 2, "token": 1}


def test_what_stands_under_a_secret_name_is_redacted_whole() -> None:
    shown = REDACTOR.value(
        {"password": 123456, "credentials": {"user": "ann", "pw": ["a", "b"]}, "token": 42, "secret": None, "auth": ""}
    )
    assert shown == {
        "password": marker("123456", "password"),
        "credentials": {"user": marker("ann", "secret"), "pw": [marker("a", "secret"), marker("b", "secret")]},
        "token": 42,
        "secret": None,
        "auth": "",
    }


def test_secrets_in_keys_are_redacted_and_no_member_is_lost() -> None:
    shown = REDACTOR.value({"sk-test-AAAABBBBCCCCDDDD": 1, marker("sk-test-AAAABBBBCCCCDDDD", "key"): 2})
    assert shown == {
        marker("sk-test-AAAABBBBCCCCDDDD", "key"): 1,
        marker("sk-test-AAAABBBBCCCCDDDD", "key") + " (2)": 2,
    }


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("api_key", "key"),
        ("apiKey", "key"),
        ("X-API-Key", "key"),
        ("OPENAI_API_KEY", "key"),
        ("db.password", "password"),
        ("userPwd", "password"),
        ("refresh_token", "token"),
        ("Set-Cookie", "cookie"),
        ("Proxy-Authorization", "authorization"),
        ("SENTRY_DSN", "dsn"),
        ("client_secret", "secret"),
        ("max_tokens", None),
        ("input_tokens", None),
        ("tokenizer", None),
        ("token_count", None),
        ("next_page_token", None),
        ("primary_key", None),
        ("keyword", None),
        ("author", None),
        ("secretary", None),
        ("key", None),
        ("x" * 500 + "password", None),
    ],
)
def test_a_parameters_name_promises_a_secret_or_not(name: str, kind: str | None) -> None:
    assert secret_kind(name) == kind


def test_equal_secrets_are_equal_wherever_they_stand_and_different_ones_differ() -> None:
    other = Redactor(b"another key of its own")
    secret = "Zq9-hunter-77"
    places = (f"https://ann:{secret}@a.example.test", f"password={secret}", f"run --password {secret}")
    for place in places:
        assert marker(secret, "password") in REDACTOR.text(place)
    assert REDACTOR.value({"password": secret}) == {"password": marker(secret, "password")}
    assert REDACTOR.text("password=one") != REDACTOR.text("password=two")
    assert other.text(f"password={secret}") != REDACTOR.text(f"password={secret}")


def test_a_redactor_does_not_show_its_key() -> None:
    assert repr(REDACTOR) == "Redactor()"
    assert not hasattr(REDACTOR, "__dict__")


@pytest.mark.parametrize("length", [0, 5, 15])
def test_a_key_that_could_be_guessed_is_refused(length: int) -> None:
    with pytest.raises(ValueError, match="at least 16 bytes"):
        Redactor(b"k" * length)


@pytest.mark.parametrize("length", [16, 32, 64, 65, 200])
def test_the_marker_is_an_hmac_under_a_key_of_any_length(length: int) -> None:
    key = b"k" * length
    expected = hmac.new(key, b"abc", hashlib.sha256).hexdigest()[:6]
    assert Redactor(key).marker("abc", "token") == f"[redacted token {expected}]"


PIECES = st.sampled_from(
    [
        *(letter for shape in SHAPES for letter in shape.first),
        *"password token secret api_key cookie authorization credentials bearer basic sk- AKIA ASIA eyJ ghp_".split(),
        *"xoxb- :// @ / : = & ? , ; ( ) [ ] { } ' \" \\ \n -- -".split(" "),
        " ",
        "Ab1",
        "ABCDEFGHIJKLMNOP0123",
        "abcdefghijklmnopqrst0123",
        ".e30.",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "[redacted token 0123ab]",
        "[redacted ",
        "null",
        "12",
    ]
)


@given(st.lists(PIECES, max_size=24).map("".join) | st.text(max_size=60))
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = REDACTOR.text(text)
    assert REDACTOR.text(once) == once


@given(
    st.recursive(
        st.text(max_size=12) | st.integers() | st.none() | st.lists(PIECES, max_size=6).map("".join),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["token", "dsn", "headers", "auth", "q"]) | st.text(max_size=8), inner, max_size=3
            )
        ),
        max_leaves=8,
    )
)
def test_redacting_a_value_twice_changes_nothing(value: JsonValue) -> None:
    once = REDACTOR.value(value)
    assert REDACTOR.value(once) == once


HOSTILE = [
    *"password= token: cookie: ://a:b/ ://a: eyJa. sk- a=, password=a, AKIA ghp_ &sig= @ / : k z p".split(),
    *("Authorization: ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "-password ", '-password "', 'password="'),
    *("password='\\", "basic ", "bearer a", "[redacted ", "key\\\\\\\\", "\\", '"', "secret\t\t\t\t"),
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    """A quarter of a million characters; quadratic time would run into the time limit of the suite."""
    text = piece * (250_000 // len(piece))
    assert isinstance(REDACTOR.text(text), str)
    assert isinstance(REDACTOR.text(text + " x"), str)
