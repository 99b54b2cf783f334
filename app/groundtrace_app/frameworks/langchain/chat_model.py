"""A chat model of LangChain as a verifier; what it says of an answer goes to no callback handler either."""

from langchain_core.language_models import BaseChatModel

from groundtrace.ports import LanguageModel
from groundtrace_app.frameworks.asked_model import AskedModel, Said
from groundtrace_app.frameworks.langchain.holding import finish_reason_of, unheard, without_listeners


def as_language_model(model: BaseChatModel, /) -> LanguageModel:
    """Return a chat model that plays the roles of the port: `Gate.of(trace, verifier=as_language_model(model))`."""

    async def ask(prompt: str) -> Said:
        with unheard():
            message = await without_listeners(model).ainvoke(prompt)
        return Said(message.text, finish_reason_of(message))

    name = getattr(model, "model_name", None) or getattr(model, "model", None)
    return AskedModel(name if isinstance(name, str) else type(model).__name__, ask)
