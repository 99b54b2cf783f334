"""A conversation tells the same calls and answers as chat messages and as spans, in whatever order its spans come."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from groundtrace.encoding import freeze_params
from groundtrace.json_text import JsonValue
from groundtrace.transcripts.chat_messages import OPENAI_CHAT
from groundtrace.transcripts.otel_spans import OTEL
from groundtrace_testing.otlp import exported, span, written
from groundtrace_testing.transcripts import Imported, imported, output_of

OUTPUTS = st.sampled_from(["3 lines", "", "[]", '{"rows": [1]}', "Error: no such pod", "0"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """One call of a conversation."""

    id: str
    tool: str
    q: str
    output: str


@st.composite
def uses(draw: st.DrawFn) -> list[list[list[Use]]]:
    """Give turns of rounds of calls; some ids come again, with the same arguments or others."""
    same = draw(st.booleans())
    numbers = count()

    def use() -> Use:
        own = f"c{next(numbers)}"
        return Use(
            id=draw(st.sampled_from([own, "call_0"])) if same else own,
            tool=draw(st.sampled_from(["logs", "metrics"])),
            q=draw(st.sampled_from("ab")),
            output=draw(OUTPUTS),
        )

    def rounds() -> list[list[Use]]:
        return [[use() for _ in range(draw(st.integers(1, 2)))] for _ in range(draw(st.integers(0, 3)))]

    return [rounds() for _ in range(draw(st.integers(1, 3)))]


def messages(turns: Sequence[Sequence[Sequence[Use]]]) -> list[JsonValue]:
    """The conversation as OpenTelemetry's messages."""
    told: list[JsonValue] = []
    for number, turn in enumerate(turns):
        told.append({"role": "user", "parts": [{"type": "text", "content": f"question {number}"}]})
        for asked in turn:
            calls: list[JsonValue] = [
                {"type": "tool_call", "id": one.id, "name": one.tool, "arguments": {"q": one.q}} for one in asked
            ]
            told.append({"role": "assistant", "parts": calls})
            told += [
                {"role": "tool", "parts": [{"type": "tool_call_response", "id": one.id, "response": one.output}]}
                for one in asked
            ]
        told.append({"role": "assistant", "parts": [{"type": "text", "content": f"answer {number}"}]})
    return told


def spans(turns: Sequence[Sequence[Sequence[Use]]], *, ids: bool, arguments: bool) -> list[JsonValue]:
    """The conversation as spans: one a model's reply with all before it, one a run."""
    made: list[JsonValue] = []
    history = messages(turns)
    runs = iter([one for turn in turns for asked in turn for one in asked])
    for at, message in enumerate(history):
        assert isinstance(message, dict)
        name, start = f"s{at}", at * 3
        if message["role"] == "assistant":
            told: dict[str, JsonValue] = {
                "gen_ai.operation.name": "chat",
                "gen_ai.input.messages": written(history[:at]),
                "gen_ai.output.messages": written([message]),
            }
            made.append(span(name, "chat", told, start=start, end=start + 1))
        elif message["role"] == "tool":
            one = next(runs)
            run: dict[str, JsonValue] = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": one.tool}
            run |= {"gen_ai.tool.call.id": one.id} if ids else {}
            run |= {"gen_ai.tool.call.arguments": written({"q": one.q})} if arguments else {}
            made.append(span(name, "run", {**run, "gen_ai.tool.call.result": one.output}, start=start, end=start + 2))
    return made


def chat(turns: Sequence[Sequence[Sequence[Use]]]) -> list[JsonValue]:
    """The conversation as chat messages."""
    told: list[JsonValue] = []
    for number, turn in enumerate(turns):
        told.append({"role": "user", "content": f"question {number}"})
        for asked in turn:
            calls: list[JsonValue] = [
                {"id": one.id, "type": "function", "function": {"name": one.tool, "arguments": written({"q": one.q})}}
                for one in asked
            ]
            told.append({"role": "assistant", "content": None, "tool_calls": calls})
            told += [{"role": "tool", "tool_call_id": one.id, "content": one.output} for one in asked]
        told.append({"role": "assistant", "content": f"answer {number}"})
    return told


def calls_of(told: Imported) -> list[str]:
    """Each call with its turn, arguments and outcome."""
    return sorted(
        f"{one.call.turn_id} {one.call.tool_name} {freeze_params(one.call.input_params).value} "
        f"{type(one.outcome).__name__} {output_of(one)}"
        for one in told.calls
    )


@given(data=st.data(), turns=uses(), ids=st.booleans(), arguments=st.booleans())
def test_spans_tell_the_calls_of_their_conversation(
    *, data: st.DataObject, turns: list[list[list[Use]]], ids: bool, arguments: bool
) -> None:
    expected = imported(chat(turns), OPENAI_CHAT)
    shuffled = data.draw(st.permutations(spans(turns, ids=ids, arguments=arguments)))
    told = imported([exported(one) for one in shuffled], OTEL)
    assert calls_of(told) == calls_of(expected)
    assert [(one.question, one.text) for one in told.answers] == [(one.question, one.text) for one in expected.answers]


@given(data=st.data(), turns=uses(), arguments=st.booleans())
def test_a_conversation_exported_twice_tells_each_call_once(
    *, data: st.DataObject, turns: list[list[list[Use]]], arguments: bool
) -> None:
    made = spans(turns, ids=True, arguments=arguments)
    once = imported([exported(one) for one in made], OTEL)
    twice = imported([exported(one) for one in data.draw(st.permutations([*made, *made]))], OTEL)
    assert sorted(one.call.id for one in twice.calls) == sorted(one.call.id for one in once.calls)
