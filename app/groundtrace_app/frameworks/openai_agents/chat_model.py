"""A model of the SDK as a verifier, untraced."""

from agents import Model, ModelSettings, ModelTracing
from agents.items import ItemHelpers

from groundtrace.ports import LanguageModel
from groundtrace_app.frameworks.asked_model import AskedModel, Said


def as_language_model(model: Model, /) -> LanguageModel:
    """Return a model that plays the roles of the port: `Gate.of(trace, verifier=as_language_model(model))`."""

    async def ask(prompt: str) -> Said:
        response = await model.get_response(
            None,
            prompt,
            ModelSettings(),
            [],
            None,
            [],
            ModelTracing.DISABLED,
            previous_response_id=None,
            conversation_id=None,
            prompt=None,
        )
        texts = [ItemHelpers.extract_text(item) for item in response.output if item.type == "message"]
        return Said("".join(text for text in texts if text) if texts else None)

    name = getattr(model, "model", None)
    return AskedModel(name if isinstance(name, str) else type(model).__name__, ask)
