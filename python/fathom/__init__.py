"""fathom's fleets inside Python: every volume of a table judged by itself, and what they add up to.

Tables come in and go out as Arrow streams (``__arrow_c_stream__``), so that pyarrow, Polars, DuckDB, pandas, Daft and Ray
hand over their columns as they are. Rows of a volume lie together, in the order of time: sort by volume and time
first. The answer is the program's, to the last byte: ``fathom size --fleet`` calls the same functions, and adds its ``command``.

    growths = fathom.growths(table, values="per-row")
    terms = fathom.margin(growths, risk="10%")
    rows = fathom.judge(table, terms=terms, region="us-east-1", values="per-row", size="500GiB")
    summary = fathom.summarise(rows, terms=terms, region="us-east-1")
"""

from __future__ import annotations

import datetime
import json
import os
import pathlib
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

__all__ = ["Refusal", "Terms", "growths", "is_sampled", "judge", "margin", "summarise", "tally", "version"]


class Refusal(ValueError):
    """Something that makes no sense: where, why, and what to do about it."""

    def __init__(self, place: str, cause: str, remedy: str) -> None:
        super().__init__(place, cause, remedy)
        self.place, self.cause, self.remedy = place, cause, remedy

    def __str__(self) -> str:
        words = f"{self.place}: {self.cause}" if self.place else self.cause
        return f"{words}; {self.remedy}" if self.remedy else words


from . import _fathom  # noqa: E402  (its refusals are the class above)


class Terms:
    """What a fleet is judged by: its margin, and how its volumes grew. Goes to other machines by pickle or as text."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __reduce__(self) -> Any:
        return Terms, (self.text,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Terms) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        risk = "none stated" if self.risk is None else f"{100 * self.risk:g} %"
        return f"Terms(margin={self.margin:g}, risk={risk}, growths={self.growths})"

    def _document(self) -> Dict[str, Any]:
        return json.loads(self.text)

    @property
    def margin(self) -> float:
        """What is bought is this many times what is needed."""
        return self._document()["margin_thousandths"] / 1000

    @property
    def risk(self) -> Optional[float]:
        """Chance that a volume needs more, 0 to 1; None where the margin is not the fleet's own."""
        millionths = self._document()["risk_millionths"]
        return None if millionths is None else millionths / 1e6

    @property
    def growths(self) -> int:
        """Volumes whose growth the margin rests on."""
        return len(self._document()["growths"])

    @property
    def horizon_s(self) -> Optional[int]:
        """The time that risks are stated for, in seconds."""
        return self._document()["horizon_s"]

    @property
    def rows(self) -> int:
        """Rows that were read for them."""
        return self._document()["rows"]

    @property
    def digest(self) -> str:
        """Of all of it."""
        return self._document()["digest"]


def _question(**words: Any) -> str:
    columns = words.get("columns")
    if isinstance(columns, Mapping):
        words["columns"] = ",".join(f"{meaning}={name}" for meaning, name in columns.items())
    prices = words.get("prices")
    if isinstance(prices, os.PathLike):
        words["prices"] = pathlib.Path(prices).read_text(encoding="utf-8")
    return json.dumps({key: value for key, value in words.items() if value is not None})


def growths(
    stream: Any,
    *,
    wait: Optional[str] = None,
    late: Optional[str] = None,
    columns: Union[None, str, Mapping[str, str]] = None,
    values: Optional[str] = None,
    halvings: int = 0,
    max_rows: Optional[int] = None,
    keep_going: bool = False,
) -> Any:
    """How each volume's requirement grew, a row each: ``volume, rows, hash, growth, rests_on, horizon_s``.

    ``growth`` is in thousandths, and null where a volume's history says nothing. With ``halvings`` it is null too for
    volumes that a sample leaves out after so many halvings (see :func:`is_sampled`), for those with more than
    ``max_rows`` rows (20 million), and with ``keep_going`` for those that would be refused otherwise (see :func:`judge`).
    """
    words = _question(
        wait=wait, late=late, columns=columns, values=values, halvings=halvings, max_rows=max_rows, keep_going=keep_going
    )
    return _fathom.growths(stream, words)


def margin(growths: Any, *, risk: Optional[str] = None, margin: Optional[float] = None) -> Terms:
    """The fleet's terms from all its growths, in any order: the margin for ``risk`` (10% by default), or one's own."""
    return Terms(_fathom.margin(growths, _question(risk=risk, margin=margin)))


def judge(
    stream: Any,
    *,
    terms: Terms,
    region: str,
    wait: Optional[str] = None,
    late: Optional[str] = None,
    columns: Union[None, str, Mapping[str, str]] = None,
    values: Optional[str] = None,
    size: Optional[str] = None,
    current: Optional[str] = None,
    instance: Optional[str] = None,
    stripes: int = 1,
    types: Sequence[str] = (),
    latency: Optional[str] = None,
    boot: bool = False,
    prices: Union[None, str, "os.PathLike[str]"] = None,
    max_rows: Optional[int] = None,
    keep_going: bool = False,
) -> Any:
    """The verdict on each volume, a row each, as ``fathom size --fleet --rows`` writes them; ``notes`` is a list, and
    ``currency`` that of the amounts.

    Arguments mean what the program's flags of the same names mean. ``prices`` is a ``pathlib.Path``, or a price list's text. A volume
    with more than ``max_rows`` rows (20 million: 2.4 GB while it is judged) is not judged, and says so. A volume whose rows lie
    apart, or that fathom itself fails at, is refused by name; with ``keep_going`` it is a row that was not judged, with the
    reason, and all rows are held until the last.
    """
    words = _question(
        region=region, wait=wait, late=late, columns=columns, values=values, size=size, current=current,
        instance=instance, stripes=stripes, types=list(types), latency=latency, boot=boot, prices=prices,
        max_rows=max_rows, keep_going=keep_going,
    )
    return _fathom.judge(stream, terms.text, words)


def tally(rows: Any) -> str:
    """What some verdicts add up to, as text of a few kB. Tallies of any parts, in any order, make one summary.

    Amounts in two currencies are refused: they do not add up.
    """
    return _fathom.tally(rows)


def summarise(
    rows: Union[Any, Iterable[str]],
    *,
    terms: Terms,
    region: str,
    wait: Optional[str] = None,
    late: Optional[str] = None,
    stripes: int = 1,
    types: Sequence[str] = (),
    latency: Optional[str] = None,
    boot: bool = False,
    prices: Union[None, str, "os.PathLike[str]"] = None,
    sources: Sequence[str] = (),
    rows_read: Optional[int] = None,
    today: Optional[datetime.date] = None,
) -> Dict[str, Any]:
    """The fleet's document (``fathom schema fleet``) from all verdicts, or from the tallies of its parts."""
    parts: List[str] = [tally(rows)] if hasattr(rows, "__arrow_c_stream__") else list(rows)
    day = today or datetime.datetime.now(datetime.timezone.utc).date()
    words = _question(
        region=region, wait=wait, late=late, stripes=stripes, types=list(types), latency=latency, boot=boot,
        prices=prices, sources=list(sources), rows=rows_read, today=day.isoformat(),
    )
    return json.loads(_fathom.summarise(parts, terms.text, words))


def is_sampled(volume: str, halvings: int) -> bool:
    """Whether the sample of growths takes a volume after its share was halved so many times, by the name alone."""
    return _fathom.is_sampled(volume, halvings)


def version() -> Dict[str, Any]:
    """Versions of the package, its catalogue and its documents. All machines of a job have the same."""
    fathom, catalogue, catalogue_date, record = _fathom.version()
    return {"fathom": fathom, "catalogue": catalogue, "catalogue_date": catalogue_date, "record": record}
