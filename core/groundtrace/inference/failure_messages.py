"""The table of what the one message of an error body may say; inside prose these words decide nothing."""

from groundtrace.inference.known_texts import Known, KnownTexts

_MANY = r"(?s:.{0,200})"

MESSAGES = KnownTexts(
    (
        Known(
            "does not",
            rf"{_MANY}\b(?:do(?:es)?(?: not|n\W?t)|did(?: not|n't)) (?:exists?|support|match|have)\b{_MANY}",
            "This endpoint does not support GET",
        ),
        Known(
            "is not so",
            rf"{_MANY}\b(?:not (?:found|allowed|supported|authori[sz]ed|permitted|valid|available|subscribed"
            r"|implemented)|disabled|forbidden|unauthori[sz]ed|denied|invalid|unavailable|failed|expired|unexpected"
            r"|malformed"
            r"|timed out|exceed(?:s|ed)|exceeding|refused|rejected)\b(?s:.{0,300})",
            "Your plan is not subscribed to this service",
        ),
        Known(
            "must be",
            rf"{_MANY}\b(?:must|should|has to|needs to|cannot|can't|can not|could not|may not) (?:not )?(?:be|have"
            r"|contain|match|provide|specify|exceed)\b(?s:.{0,300})",
            "The start must be before the end",
        ),
        Known(
            "is required",
            rf"{_MANY}\b(?:is|are|was) (?:required|missing|mandatory|needed|incorrect|wrong)\b(?s:.{{0,300}})",
            "A zip code is required",
        ),
        Known(
            "unknown ...",
            r"(?:unknown|unrecogni[sz]ed|unsupported|missing|bad|illegal|wrong|incorrect|no such|too many|not enough)\b"
            r"(?s:.{1,300})",
            "Unknown currency XYZ",
        ),
        Known(
            "more rights", r"(?:you(?:'ll)? )?need (?:\w+ )?permissions?\b(?s:.{0,300})", "You need more permissions"
        ),
        Known("error", r"(?s:.{0,100})\b(?:error|exception|required)\b[.!]?", "Upstream error"),
    )
)
