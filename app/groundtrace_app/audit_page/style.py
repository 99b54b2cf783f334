"""The page's style: light and dark, wide and narrow, on paper; outcomes differ in lightness as well as in colour."""

from groundtrace.audit_rules import Rule

_FILTERS = "\n".join(
    f"body:has(#show-{rule.value}:checked) .session:not(.has-{rule.value}){{display:none}}"
    f"body:has(#show-{rule.value}:checked) .nothing.has-{rule.value}{{display:block}}"
    for rule in Rule
)

STYLE = (
    """
:root{color-scheme:light dark;
--paper:#fbfaf8;--card:#fff;--ink:#1d1f23;--soft:#5b616b;--line:#e2dfd9;--wash:#f1efeb;
--grave:#b3261e;--grave-wash:#fdecea;--gap:#8a5a00;--gap-wash:#fdf3dd;--note:#5b616b;--good:#1c6b4a;
--bare:#b3261e;--none:#e0897f;--hint:#e2bd62;--firm:#2c8a63;
--found:#2c8a63;--empty:#a59b89;--again:#8d9bb5;--failed:#c4372d}
@media (prefers-color-scheme:dark){:root{
--paper:#14161a;--card:#1c1f25;--ink:#e8e6e1;--soft:#a3a9b4;--line:#30343c;--wash:#24282f;
--grave:#ff8a80;--grave-wash:#3a1d1c;--gap:#f0c063;--gap-wash:#35290f;--note:#a3a9b4;--good:#76d3a8;
--bare:#f0645a;--none:#8f4a45;--hint:#b98f2f;--firm:#3fa87c;
--found:#3fa87c;--empty:#6d727b;--again:#6c7fa3;--failed:#f0645a}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;print-color-adjust:exact;-webkit-print-color-adjust:exact}
body{margin:0;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif}
main,footer{max-width:1080px;margin:0 auto;padding:0 24px}
header{padding:48px 0 8px}
.kicker{margin:0;color:var(--soft);font-size:14px;font-weight:600}
h1{margin:6px 0 10px;font-size:clamp(26px,4vw,40px);line-height:1.15;letter-spacing:-.015em;text-wrap:balance}
h2{margin:0 0 10px;font-size:20px;line-height:1.3}
section{margin-top:44px}
p{margin:0 0 10px}
code,.id{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
code{color:var(--soft);font-size:12px}
.facts{color:var(--soft);overflow-wrap:anywhere}
.facts b{color:var(--ink);font-weight:600}
nav{display:flex;gap:18px;margin-top:18px;font-size:14px}
a{color:inherit;text-underline-offset:3px}
.hint,.more{color:var(--soft);font-size:14px}
header .hint{margin:10px 0 0;overflow-wrap:anywhere}
.warning{margin-top:14px;padding:8px 12px;background:var(--gap-wash);border-radius:8px}
svg.bar{display:block;width:100%;height:36px;border-radius:6px}
header svg.bar{margin:22px 0 12px}
rect.ground{fill:none}
rect.bare{fill:var(--bare)}rect.none{fill:var(--none)}rect.hint{fill:var(--hint)}rect.firm{fill:var(--firm)}
rect.found{fill:var(--found)}rect.empty{fill:var(--empty)}rect.again{fill:var(--again)}rect.failed{fill:var(--failed)}
.legend{display:flex;flex-wrap:wrap;gap:4px 22px;margin:0;padding:0;list-style:none;color:var(--soft);font-size:14px}
.legend b{color:var(--ink)}
.swatch{width:12px;height:12px;margin-right:7px;vertical-align:-1px}
table{width:100%;border-collapse:collapse;font-size:15px}
th,td{padding:7px 10px;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
thead th{color:var(--soft);font-size:13px;font-weight:500}
tbody th{font-weight:500;overflow-wrap:anywhere}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.zero,.quiet{color:var(--soft);opacity:.75}
.scroll{overflow-x:auto}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.rules{background:var(--card);border:1px solid var(--line);border-radius:12px;border-spacing:0;border-collapse:separate;
overflow:hidden}
.rules td{padding:0 14px 0 0;vertical-align:middle}
.rules tr:last-child td{border-bottom:0}
.rules code{overflow-wrap:anywhere}
.rules label{display:grid;grid-template-columns:auto 14px minmax(0,1fr);gap:10px;align-items:baseline;padding:9px 14px;
cursor:pointer}
.rules input{accent-color:var(--ink);margin:0;transform:translateY(2px)}
.rules tr:has(:checked){background:var(--wash)}
.rules label:has(:focus-visible){outline:2px solid var(--ink);outline-offset:-2px;border-radius:8px}
.mark{font-size:13px;line-height:1}
.mark.grade-grave{color:var(--grave)}.mark.grade-gap{color:var(--gap)}
.mark.grade-note{color:var(--note)}.mark.grade-none{color:var(--good)}
.outcomes th:first-child{width:25%}
.outcomes .drawn{width:36%;vertical-align:middle}
.outcomes svg.bar,.calls svg.bar{height:12px;border-radius:3px}
.outcomes .legend{margin-bottom:8px}
.sessions{margin:0;padding:0;list-style:none;border:1px solid var(--line);border-radius:12px;background:var(--card);
overflow:hidden}
.session+.session{border-top:1px solid var(--line)}
summary{display:grid;grid-template-columns:16px minmax(0,1fr) 212px 150px;gap:4px 14px;padding:13px 16px;cursor:pointer;
list-style:none}
summary::-webkit-details-marker{display:none}
summary:hover{background:var(--wash)}
summary:focus-visible{outline:2px solid var(--ink);outline-offset:-2px}
summary .mark{padding-top:6px}
.grade-grave>details>summary{background:var(--grave-wash)}
.what>*,.ground>*,.calls>*,.why{display:block}
.id{font-size:13.5px;font-weight:600;overflow-wrap:anywhere}
.question{color:var(--soft);font-size:14px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
details[open] .question{white-space:normal}
.why{font-size:14.5px;overflow-wrap:anywhere}
.grade-grave .why{color:var(--grave);font-weight:600}
.grade-gap .why{color:var(--gap)}
.grade-note .why{color:var(--soft)}
.calls,.ground{font-size:13.5px}
.calls svg.bar{margin:5px 0 5px}
.share,.allowed{color:var(--soft)}
.allowed b{color:var(--ink)}
.level{font-weight:600}
.level-NONE{color:var(--grave)}.level-INDIRECT{color:var(--gap)}.level-DIRECT{color:var(--good)}
.inside{padding:4px 16px 20px 46px}
.grade-grave .inside{border-top:1px solid var(--line)}
.findings,.errors{margin:0;padding:0;list-style:none}
.findings{margin:12px 0}
.findings li{display:grid;grid-template-columns:16px 1fr;gap:10px;padding:2px 0;align-items:baseline;font-size:15px;
overflow-wrap:anywhere}
.names{font-weight:600}
dl{display:flex;flex-wrap:wrap;gap:8px 32px;margin:12px 0}
dt{color:var(--soft);font-size:13px}
dd{margin:0;font-size:14.5px;overflow-wrap:anywhere}
figure{margin:14px 0}
figcaption{color:var(--soft);font-size:13px}
blockquote{margin:4px 0 0;padding:10px 14px;background:var(--wash);border-radius:8px;font-size:14.5px;
overflow-wrap:anywhere}
.tools{font-size:14px}
.errors{margin-top:2px;color:var(--soft);font-size:13px;font-weight:400}
.nothing{display:none;margin-top:14px;color:var(--soft)}
footer{margin-top:48px;padding-bottom:48px;color:var(--soft);font-size:13.5px}
footer p{max-width:72ch}
@media (max-width:760px){
main,footer{padding:0 16px}
header{padding-top:28px}
summary{grid-template-columns:16px minmax(0,1fr)}
.calls,.ground{grid-column:2}
.ground{display:flex;gap:14px;flex-wrap:wrap}
.inside{padding-left:16px}
.rules code{display:block}
.rules td{padding:0 8px 0 0}
.rules label{padding:8px 4px 8px 8px;gap:8px}
th,td{padding:6px 4px}
.outcomes tr{display:grid;grid-template-columns:repeat(5,1fr)}
.outcomes tbody th:first-child,.outcomes .drawn{grid-column:1/-1;width:auto;border:0;padding-bottom:2px}
.outcomes thead th:not(.number){display:none}
.tools tbody th{min-width:110px}
.tools{font-size:13px}
}
@media print{
:root{--paper:#fff;--card:#fff;--ink:#000;--soft:#444;--line:#bbb;--wash:#f2f2f2;--grave:#8f1d16;--grave-wash:#fff;
--gap:#6b4700;--gap-wash:#fff;--note:#444;--good:#14523a;
--bare:#b3261e;--none:#e0897f;--hint:#e2bd62;--firm:#2c8a63;
--found:#2c8a63;--empty:#a59b89;--again:#8d9bb5;--failed:#c4372d}
body{font-size:11pt}
main,footer{max-width:none;padding:0}
header{padding-top:0}
.grade-grave>details::details-content{content-visibility:visible;block-size:auto;opacity:1}
.session,tr,figure{break-inside:avoid}
h2{break-after:avoid}
.question{white-space:normal}
.hint,nav{display:none}
.rules input{display:none}
}
"""
    + _FILTERS
    + "\n"
)
