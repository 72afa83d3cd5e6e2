"""A small double-entry ledger kept in memory."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal


class UnbalancedError(ValueError):
    """Raised when the legs of a posting do not add up to zero."""


@dataclass(frozen=True)
class Leg:
    account: str
    amount: Decimal


@dataclass
class Ledger:
    currency: str = "EUR"
    _postings: list[tuple[date, str, tuple[Leg, ...]]] = field(default_factory=list)

    def post(self, day: date, memo: str, *legs: Leg) -> None:
        total = sum((leg.amount for leg in legs), Decimal(0))
        if total != 0:
            raise UnbalancedError(f"{memo!r}: legs sum to {total} {self.currency}")
        self._postings.append((day, memo, legs))

    def balance(self, account: str, until: date | None = None) -> Decimal:
        result = Decimal(0)
        for day, _memo, legs in self._postings:
            if until is not None and day > until:
                continue
            for leg in legs:
                if leg.account == account or leg.account.startswith(account + ":"):
                    result += leg.amount
        return result

    def trial_balance(self) -> dict[str, Decimal]:
        totals: defaultdict[str, Decimal] = defaultdict(Decimal)
        for _day, _memo, legs in self._postings:
            for leg in legs:
                totals[leg.account] += leg.amount
        return {name: amount for name, amount in sorted(totals.items()) if amount}
