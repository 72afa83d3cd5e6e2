import logging
import random
import time
from typing import Callable, TypeVar

import requests

log = logging.getLogger(__name__)
T = TypeVar("T")

RETRYABLE = {408, 425, 429, 500, 502, 503, 504}


def backoff(attempt, base=0.25, cap=20.0):
    """Full jitter: a random wait between zero and the exponential bound."""
    return random.uniform(0, min(cap, base * 2 ** attempt))


def with_retries(call: Callable[[], T], attempts: int = 5, sleep=time.sleep) -> T:
    for attempt in range(attempts):
        try:
            return call()
        except requests.HTTPError as err:
            status = err.response.status_code
            if status not in RETRYABLE or attempt == attempts - 1:
                raise
            wait = backoff(attempt)
            header = err.response.headers.get("Retry-After")
            if header is not None and header.isdigit():
                wait = max(wait, float(header))
            log.warning("attempt %d failed with %s, waiting %.2f s", attempt + 1, status, wait)
            sleep(wait)
        except requests.ConnectionError:
            if attempt == attempts - 1:
                raise
