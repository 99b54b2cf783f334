"""A model that remembers what it was asked and lets another model answer."""

from returns.result import Result
from typing_extensions import override

from groundtrace.ports import LanguageModel
from groundtrace.roles import ModelError, ModelReply, ModelRequest


class WatchingModel(LanguageModel):
    """Keeps every request, so that a test can see what a model was shown."""

    def __init__(self, inner: LanguageModel) -> None:
        self._inner = inner
        self.requests: list[ModelRequest] = []

    @property
    @override
    def name(self) -> str:
        """Return the other model's name."""
        return self._inner.name

    @override
    async def reply(self, request: ModelRequest, /) -> Result[ModelReply, ModelError]:
        """Remember the request and pass it on."""
        self.requests.append(request)
        return await self._inner.reply(request)
