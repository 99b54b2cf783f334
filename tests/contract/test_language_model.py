"""Every LanguageModel plays three roles, keeps nothing between requests, and answers in texts that the core reads."""

import json
from pathlib import Path
from typing import Any

import pytest

from groundtrace.ports import LanguageModel
from groundtrace_adapters.conformance.language_model import ANSWER, LanguageModelSuite
from groundtrace_adapters.models.rules import RulesModel
from groundtrace_adapters.models.script import Line, Role, Script, ScriptModel

VERDICT = {"verdict": "PASS", "confidence": 0.9, "evidence_ids": ["e1"], "reasons": ["it stands there"]}
MANY = 40


def _script() -> ScriptModel:
    texts = {Role.PLANNER: '{"calls": []}', Role.EXECUTOR: ANSWER, Role.VERIFIER: json.dumps(VERDICT)}
    return ScriptModel(Script(lines={role: (Line(text=text),) * MANY for role, text in texts.items()}))


def _of_the_page() -> LanguageModel:
    """The model that `docs/adapters.md` shows, over canned replies."""
    page = (Path(__file__).parents[2] / "docs" / "adapters.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"__name__": "page"}
    exec(page.partition("```python\n")[2].partition("```")[0], names)
    made: LanguageModel = names["model"]
    return made


class TestLanguageModels(LanguageModelSuite):
    @pytest.fixture(params=[_script, RulesModel, _of_the_page], ids=["script", "rules", "page"])
    def model(self, request: pytest.FixtureRequest) -> LanguageModel:
        made: LanguageModel = request.param()
        return made
