"""A model of Pydantic AI as a verifier."""

from pydantic_ai.direct import model_request
from pydantic_ai.messages import ModelRequest, TextPart
from pydantic_ai.models import Model, infer_model

from groundtrace.ports import LanguageModel
from groundtrace_app.frameworks.asked_model import AskedModel, Said


def as_language_model(model: Model | str, /) -> LanguageModel:
    """Return a model that plays the roles of the port: `Gate.of(trace, verifier=as_language_model(model))`."""
    own = infer_model(model)

    async def ask(prompt: str) -> Said:
        response = await model_request(own, [ModelRequest.user_text_prompt(prompt)])
        texts = [part.content for part in response.parts if isinstance(part, TextPart)]
        return Said("".join(texts) if texts else None, response.finish_reason)

    return AskedModel(own.model_id, ask)
