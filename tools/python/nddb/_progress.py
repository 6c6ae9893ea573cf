"""Progress of long work, shown by tqdm if it is installed."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Tell = Callable[[Any], object]


@contextmanager
def shown(is_wanted: bool) -> Iterator[Tell | None]:
    """Returns a function that shows progress, with a bar for each phase, or None if nothing is to be shown."""
    tqdm = _tqdm() if is_wanted else None
    if tqdm is None:
        yield None
        return
    bars: dict[str, Any] = {}

    def tell(said: dict[str, Any]) -> None:
        phase, done = said["phase"], said["done"]
        bar = bars.get(phase)
        if bar is None:
            close()
            # Without a terminal no bar is drawn.
            total, unit = said.get("total"), " " + said["unit"]
            bar = bars[phase] = tqdm(desc=phase, total=total, unit=unit, leave=False, disable=None)
        bar.update(done - bar.n)

    def close() -> None:
        for bar in bars.values():
            bar.close()
        bars.clear()

    try:
        yield tell
    finally:
        close()


def _tqdm() -> Any:
    """Returns tqdm's class of bars, or None if tqdm is not installed."""
    with warnings.catch_warnings():
        # Without the widgets of notebooks it warns, and shows text.
        warnings.simplefilter("ignore")
        try:
            return importlib.import_module("tqdm.auto").tqdm
        except ImportError:
            return None
