"""Language models that need no network: `script` replays, `rules` reasons by rules."""
