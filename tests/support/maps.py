"""The maps that `attention` knows by name, for tests that ask the same of all of them, or of all of one kind."""

from lib.attention import SCORE_MAPS

NAMES = [*SCORE_MAPS]
TAKE_A_PRIOR = [name for name, known in SCORE_MAPS.items() if "prior" in known.options]
FUNCTIONS = [known.function for known in SCORE_MAPS.values()]
DENSE = [known.function for known in SCORE_MAPS.values() if "prior" not in known.options]
