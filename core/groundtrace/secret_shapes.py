"""The table of secrets that are recognised inside text: how each kind looks, and which part of it is the secret.

Every shape starts with a letter that is rare in logs and looks back from there; repeats are bounded or cannot overlap
themselves, so that no text takes more than linear time. How all are looked for at once is `secret_patterns`.
"""

from dataclasses import dataclass

_END = r"\s\"'&,;)}\]<>\\"
# A value is no secret if it is a marker already, or says that there is none.
_OPEN = (
    rf"(?!\[redacted [a-z-]{{1,20}} [0-9a-f]{{6}}\]|(?=[nNtTfFuU])(?i:null|none|nil|true|false|undefined)(?![^{_END}]))"
)
_NO_SMALL_NUMBER = rf"(?!\d{{1,5}}(?![^{_END}]))"
# Words such as "bearer authentication" are no secret: a capital, a digit or sheer length is asked for.
_RANDOM = r"(?=[a-z._~+/=-]{0,23}[A-Z0-9]|[a-z._~+/=-]{24})"
# In an unquoted value a comma or bracket belongs to the secret unless it ends the value or the next name follows.
_BARE = rf"[^{_END}]+(?:(?:[,;)}}\]](?![{_END}]|\Z|[\w.-]{{1,40}}\\?[\"']?[=:])|\\(?![nrt\"']))[^{_END}]*)*"
_VALUE = (
    rf"(?:\"{_OPEN}(?=[^\"\r\n])([^\"\\\r\n]*(?:\\.[^\"\\\r\n]*)*)"
    rf"|'{_OPEN}(?=[^'\r\n])([^'\\\r\n]*(?:\\.[^'\\\r\n]*)*)"
    rf"|(?=[^\\]){_OPEN}({_BARE})"
    rf"|\\{{1,4}}\"{_OPEN}([^\"\\\r\n]+))"  # JSON inside JSON text
)
# Also a sign as it stands in an address inside an address, and the end of an XML tag whose element is one word.
# Within one line: the next line is another matter, and so is the seam of a preview.
_TO = r"(?>\\{0,4}[\"']?[ \t]{0,4}(?:=>|:=|[:=]|%(?:25)?3[AaDd]|>(?=[^<>\s]{1,200}</))[ \t]{0,4})"
_FLAG = r"[ \t]{1,4}(?=[^\s:=-])(?!%(?:25)?3[AaDd])"
_LINE = r"([^\s\"'\\][^\r\n\"'\\]*)"
_ONE_WORD = r"(?i:bearer|basic|token|apikey|negotiate)"
_MANY_WORDS = r"(?i:digest|aws4-hmac-sha256|hawk|oauth)"
_CREDENTIALS = (
    rf"(?:{_ONE_WORD}[ \t]{{1,4}}{_OPEN}({_BARE})|{_MANY_WORDS}[ \t]{{1,4}}{_OPEN}{_LINE}"
    rf"|(?!(?:{_ONE_WORD}|{_MANY_WORDS})\s){_OPEN}({_BARE}(?:\ [A-Za-z0-9+/=._~-]{{8,}})?))"
)
_SCHEME = rf"(?:{_ONE_WORD}[ \t]{{1,4}})?+"
_PEM = (
    r"EGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[A-Za-z0-9+/=\s\\:,.()]|-(?!----))*+"
    r"(?:-----END [A-Z ]{0,40}KEY(?: BLOCK)?-----)?"
)
_KEY_NAMES = (
    "api.k apik access.k accessk secret.k secretk private.k privatek signing.k signingk encryption.k encryptionk "
    "account.k accountk auth.k authk shared.k sharedk master.k masterk subscription.k license.k service.k ssh.k "
    "storage.k webhook.k deploy.k [?&]k"
)
_KEY = "(?:" + "|".join(rf"(?<={name}ey)" for name in _KEY_NAMES.split()) + ")"
_TAIL = r"[A-Za-z0-9_-]*"

# What the triggers have in common. In a key's name any character may stand where its dash or underscore does.
_SIGN = r"\\*[\"']?[ \t]*[:=%>]"
_KEY_WORDS = (
    r"(?:(?i:(?:api|access|secret|private|signing|encryption|account|auth|shared|master|subscription|license|service"
    r"|ssh|storage|webhook|deploy).?key)|[?&](?i:key))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One alternative: its first letters (any of them), what stands around them, and the kind of its groups.

    Each group is a secret that starts `back` characters before the group does. A `flag` counts only in a word that
    starts with a dash (`--password x`). Wherever it matches, `trigger` matches at or before its first letter: an
    expression that looks nowhere behind or ahead, for engines that cannot.
    """

    kind: str
    first: str
    trigger: str
    pattern: str
    back: int = 0
    flag: bool = False


SHAPES: tuple[Shape, ...] = (
    Shape(
        kind="token",
        first="kK",
        trigger=rf"(?i:token){_SIGN}",
        pattern=rf"(?i:en(?<=token)(?<!expected token)){_TO}{_SCHEME}{_NO_SMALL_NUMBER}{_VALUE}",
    ),
    Shape(
        kind="key",
        first="kK",
        trigger=rf"{_KEY_WORDS}{_SIGN}",
        pattern=rf"(?i:ey)(?={_TO})(?i:{_KEY}){_TO}{_NO_SMALL_NUMBER}{_VALUE}",
    ),
    Shape(
        kind="cookie",
        first="kK",
        trigger=rf"(?i:cookie){_SIGN}",
        pattern=rf"(?i:ie(?<=cookie))(?::[ \t]{{0,4}}{_OPEN}{_LINE}|{_TO}{_VALUE})",
    ),
    Shape(
        kind="token", first="kK", trigger=r"(?i:-token)[ \t]", pattern=rf"(?i:en(?<=-token)){_FLAG}{_VALUE}", flag=True
    ),
    Shape(
        kind="key",
        first="kK",
        trigger=rf"{_KEY_WORDS}[ \t]",
        pattern=rf"(?i:ey)(?={_FLAG})(?i:{_KEY}){_FLAG}{_VALUE}",
        flag=True,
    ),
    Shape(
        kind="password",
        first="pP",
        trigger=rf"(?i:p(?:ass(?:word|wd|phrase|code)?|wd)){_SIGN}",
        pattern=rf"(?i:ass(?:word|wd|phrase|code)|wd|(?<![a-z]p)ass){_TO}{_VALUE}",
    ),
    Shape(
        kind="password",
        first="pP",
        trigger=r"(?i:pass(?:word|wd|phrase))[ \t]",
        pattern=rf"(?i:ass(?:word|wd|phrase)){_FLAG}{_VALUE}",
        flag=True,
    ),
    Shape(kind="secret", first="cC", trigger=rf"(?i:secret){_SIGN}", pattern=rf"(?i:ret(?<=secret)){_TO}{_VALUE}"),
    Shape(
        kind="secret",
        first="cC",
        trigger=r"(?i:-secret)[ \t]",
        pattern=rf"(?i:ret(?<=-secret)){_FLAG}{_VALUE}",
        flag=True,
    ),
    Shape(
        kind="authorization",
        first="zZ",
        trigger=rf"(?i:authorization){_SIGN}",
        pattern=rf"(?i:ation(?<=authorization)){_TO}[\"']?{_CREDENTIALS}",
    ),
    Shape(
        kind="token",
        first="bB",
        trigger=r"(?i:bearer)[ \t]",
        pattern=rf"(?i:earer)[ \t]{{1,4}}{_RANDOM}([A-Za-z0-9._~+/=-]{{8,}})",
    ),
    Shape(
        kind="authorization",
        first="bB",
        trigger=r"(?i:basic)[ \t]",
        pattern=rf"(?i:asic)[ \t]{{1,4}}{_RANDOM}([A-Za-z0-9+/]{{8,}}={{0,2}}{_TAIL})",
    ),
    Shape(
        kind="signature",
        first="?&",
        trigger=r"[?&](?i:(?:x-amz-|x-goog-)?sig(?:nature)?)=",
        pattern=rf"(?i:(?:x-amz-|x-goog-)?sig(?:nature)?)={_OPEN}([^\s\"'&<>]+)",
    ),
    # The password of a URL: without a slash up to the last `@`, else (raw base64) up to the first.
    Shape(
        kind="password",
        first="/",
        trigger=r"://[^\s\"'<>]*@",
        pattern=rf"(?<=:/)/[^\s/:@\"'<>\[]{{0,200}}:(?!\d{{1,5}}(?:[/?#\s\"']|\Z)){_OPEN}"
        r"(?:([^\s\"'<>/]{1,1000})@|([^\s\"'<>@]{1,200})@)",
    ),
    # The same, percent-encoded, as in an address that is a parameter of another.
    Shape(
        kind="password",
        first="%",
        trigger=r"%(?:25)?3[Aa]%(?:25)?2[Ff]",
        pattern=r"(?:25)?3[Aa](?:%(?:25)?2[Ff]){2}[^\s%/@\"'<>&]{1,200}%(?:25)?3[Aa](?!\d{1,5}%(?:25)?2[Ff])"
        rf"{_OPEN}((?:[^\s%/@\"'<>&]|%(?!(?:25)?(?:40|2[Ff]))){{1,300}})%(?:25)?40",
    ),
    Shape(
        kind="token",
        first="/",
        trigger=r"://[^\s\"'<>]*@",
        pattern=r"(?<=:/)/([A-Za-z0-9_-]{20,200})(?::[\w-]{0,40})?@",
    ),
    Shape(
        kind="token",
        first="k",
        trigger=r"hooks\.slack\.com/services/",
        pattern=r"(?<=hooks\.slack)\.com/services/([A-Za-z0-9/]{8,})",
    ),
    Shape(
        kind="private-key", first="B", trigger=r"-----BEGIN [A-Z ]*PRIVATE KEY", pattern=rf"(?<=-----B)({_PEM})", back=6
    ),
    Shape(
        kind="key",
        first="k",
        trigger=r"(?:^|[^A-Za-z0-9])[sr]k[-_][A-Za-z0-9_-]{12}",
        pattern=rf"(?<![A-Za-z0-9][sr]k)(?<=[sr]k)(?=[-_]){_RANDOM}([-_][A-Za-z0-9_-]{{12,}})",
        back=2,
    ),
    Shape(
        kind="key",
        first="K",
        trigger=r"AKIA[A-Z0-9]{12}",
        pattern=rf"(?<![A-Za-z0-9]AK)(?<=AK)(IA[A-Z0-9]{{12,}}{_TAIL})",
        back=2,
    ),
    Shape(
        kind="key",
        first="S",
        trigger=r"ASIA[A-Z0-9]{12}",
        pattern=rf"(?<![A-Za-z0-9]AS)(?<=AS)(IA[A-Z0-9]{{12,}}{_TAIL})",
        back=2,
    ),
    Shape(
        kind="key",
        first="S",
        trigger=r"SG\.[A-Za-z0-9_-]{16}",
        pattern=r"(?<![A-Za-z0-9]S)(G\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})",
        back=1,
    ),
    Shape(kind="key", first="z", trigger=r"AIza[A-Za-z0-9_-]{16}", pattern=r"(?<=AIz)(a[A-Za-z0-9_-]{30,})", back=3),
    Shape(
        kind="token",
        first="J",
        trigger=r"eyJ[A-Za-z0-9_-]{6}",
        # A long run is one without any full stop: looking for that in it from each of its `eyJ` would be quadratic.
        pattern=r"(?<![A-Za-z0-9]eyJ)(?<=eyJ)"
        r"([A-Za-z0-9_-]{6,511}+(?:\.[A-Za-z0-9_-]*){1,4}|[A-Za-z0-9_-]{512,}(?:\.[A-Za-z0-9_-]*){0,4})",
        back=3,
    ),
    Shape(
        kind="token",
        first="_",
        trigger=r"gh[pousr]_[A-Za-z0-9]{16}",
        pattern=rf"(?<=gh[pousr]_)([A-Za-z0-9]{{16,}}{_TAIL})",
        back=4,
    ),
    Shape(
        kind="token",
        first="_",
        trigger=r"github_pat_",
        pattern=r"(?<=github_pat_)([A-Za-z0-9_]{20,}[A-Za-z0-9_-]*)",
        back=11,
    ),
    Shape(
        kind="token",
        first="_",
        trigger=r"npm_[A-Za-z0-9]{16}",
        pattern=rf"(?<=npm_)([A-Za-z0-9]{{24,}}{_TAIL})",
        back=4,
    ),
    Shape(
        kind="token",
        first="_",
        trigger=r"hf_[A-Za-z0-9]{16}",
        pattern=rf"(?<![A-Za-z0-9]hf_)(?<=hf_)([A-Za-z0-9]{{24,}}{_TAIL})",
        back=3,
    ),
    Shape(kind="token", first="p", trigger=r"glpat-", pattern=r"(?<=glp)(at-[A-Za-z0-9_-]{16,})", back=3),
    Shape(kind="token", first="p", trigger=r"pypi-", pattern=r"(?<![A-Za-z0-9]p)(ypi-[A-Za-z0-9_-]{32,})", back=1),
    Shape(
        kind="token",
        first="x",
        trigger=r"xox[a-z]|xapp-",
        pattern=r"(?<![A-Za-z0-9]x)(ox[a-z](?:\.[a-z]{4})?-[A-Za-z0-9_-]{8,}|app-\d-[A-Za-z0-9_-]{8,})",
        back=1,
    ),
)
