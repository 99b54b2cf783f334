"""A provider whose models are all wrapped in one way, whatever they are named."""

from collections.abc import Callable

from agents import Model, ModelProvider
from typing_extensions import override


class WrappedProvider(ModelProvider):
    """Finds models by name where another provider finds them, each wrapped."""

    def __init__(self, inner: ModelProvider, wrap: Callable[[Model], Model], /) -> None:
        """Find models where `inner` finds them, and give what `wrap` makes of each."""
        self._inner = inner
        self._wrap = wrap

    @override
    def get_model(self, model_name: str | None) -> Model:
        return self._wrap(self._inner.get_model(model_name))

    @override
    async def aclose(self) -> None:
        await self._inner.aclose()
