"""The tables of what harnesses write around a tool's answer: in front of it, behind it, or both.

Named groups tell facts: `code` an exit code, `failed` and `late` a word of the harness, `silent` that nothing was
written to standard error, `cmd` the command line.
"""

from groundtrace.inference.known_texts import Known

_END = r"(?:\n|\Z)"

LEADING = (
    Known(
        "Codex, a process",
        r"(?:Chunk ID: \w+\n)?(?:Wall time: [\d.]+ seconds\n)?Process (?:exited with code (?P<code>-?\d+)"
        r"|running with session ID \d+)\n(?:Original token count: \d+\n)?Output:\n?",
        "Process exited with code 0\nOutput:\n",
    ),
    Known(
        "Codex, a command",
        r"Exit code: (?P<code>-?\d+)\n(?:Wall time: [\d.]+ seconds\n)?(?:Total output lines: \d+\n)?Output:\n?",
        "Exit code: 1\nWall time: 0.2 seconds\nOutput:\n",
    ),
    Known("Claude Code", rf"(?:Error: )?Exit code:? (?P<code>-?\d+){_END}", "Exit code 2\n"),
    Known(
        "an echo of the command",
        r"Command(?: executed)?: [^\n]*\n(?:Directory: [^\n]*\n)?(?=Output: |Stdout: |stdout:)",
        "Command: uptime\nDirectory: (root)\nOutput: up",
    ),
    Known(
        "a command that failed",
        r"Command [`'\"](?P<cmd>[^\n]*)[`'\"] (?P<failed>failed) with (?:return|exit) code (?P<code>-?\d+)"
        r"(?:\n(?:Output:\n?)?|\Z)",
        "Command `kubectl get node` failed with return code 1\nOutput:\n",
    ),
    Known(
        "subprocess of Python",
        rf"Command [`'\"][^\n]*[`'\"] (?P<failed>returned non-zero exit status) (?P<code>-?\d+)\.?{_END}",
        "Command 'ls /none' returned non-zero exit status 2.",
    ),
    Known(
        "an operation that failed",
        r"\[ERROR\] [A-Z]\w*(?: \w+){0,4} (?P<failed>(?P<silent>failed)): ?",
        "[ERROR] Shell command failed: ",
    ),
    Known(
        "a command that was late",
        rf"(?:Error: )?(?:The )?(?:command|execution|process) (?P<late>timed out|was killed) after [^\n]{{1,80}}{_END}",
        "Command timed out after 30 seconds\n",
    ),
    Known("a prompt for a password", r"(?:Enter )?password(?: for [^\n:]{1,60})?: ?\n", "Enter password: \n"),
    Known("an output that is kept elsewhere", r"<persisted-output>\n", "<persisted-output>\n"),
    Known("a command by its name", r"Command \w{1,80} returned: ", "Command list_pods returned: "),
    Known(
        "exit code in front", rf"\[?(?:exit|return) ?(?:code|status)\]?:? ?(?P<code>-?\d+)\]?{_END}", "[exit code: 1]\n"
    ),
)
TRAILING = (
    Known(
        "a shell that ended",
        r"\n?<(?:shellId: \w+ completed|command completed|exited) with exit code (?P<code>-?\d+)>",
        "\n<command completed with exit code 0>",
    ),
    Known(
        "exit code behind",
        r"(?:\n|\A)[\[(<]?(?:process |command )?(?:(?:exited|terminated|finished|completed|ended) with(?: exit)?"
        r"|exit|return)(?:ed)? (?:code|status)[:=]? ?"
        r"(?P<code>-?\d+)[\])>.]?",
        "\n[exit code: 2]",
    ),
    Known("an output that was kept elsewhere", r"\n?</persisted-output>", "\n</persisted-output>"),
    Known("a process group", r"\nProcess Group PGID: ?\d+", "\nProcess Group PGID: 7"),
    Known(
        "exit code, signal and process group",
        r"\nExit [Cc]ode: (?P<code>-?\d+)(?:\nSignal: [^\n]*)?(?:\nBackground PIDs: [^\n]*)?"
        r"(?:\nProcess Group PGID: [^\n]*)?",
        "\nExit Code: 1\nSignal: (none)",
    ),
)
AROUND = (
    Known(
        "context that is not trusted",
        r"<untrusted_context>\n?(?P<body>.*?)\n?</untrusted_context>",
        "<untrusted_context>\nup\n</untrusted_context>",
    ),
    Known(
        "an error of a tool",
        r"<(?P<failed>(?P<tag>tool_use_error|error|tool_error))>(?P<body>.*)</(?P=tag)>",
        "<tool_use_error>no such file</tool_use_error>",
    ),
    Known(
        "a code beside an output",
        r"<returncode>(?P<code>-?\d+)</returncode>\s*<output>\n?(?P<body>.*?)\n?</output>",
        "<returncode>0</returncode>\n<output>\nup\n</output>",
    ),
    Known(
        "a tag for an output",
        r"<(?P<tag>output|result|stdout|tool_result|system|system-reminder|response|tool_response|function_result"
        r"|observation)>\n?(?P<body>.*?)\n?</(?P=tag)>",
        "<result>up</result>",
    ),
    Known("a word for an output", r"Output: (?P<body>.*)", "Output: up"),
)
