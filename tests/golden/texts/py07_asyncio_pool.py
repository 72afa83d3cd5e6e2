import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable


class Pool:
    """Runs coroutines with bounded concurrency and keeps the input order.

    >>> async def main():
    ...     async with Pool(4) as pool:
    ...         return [r async for r in pool.map(fetch, urls)]
    """

    def __init__(self, limit: int = 8) -> None:
        if limit < 1:
            raise ValueError("limit must be positive")
        self._limit = asyncio.Semaphore(limit)
        self._tasks: set[asyncio.Task] = set()
        self._closed = False

    async def __aenter__(self) -> "Pool":
        return self

    async def __aexit__(self, exc_type, exc, tb) -> None:
        self._closed = True
        if exc_type is not None:
            for task in self._tasks:
                task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*self._tasks, return_exceptions=exc_type is not None)

    def spawn(self, function: Callable[..., Awaitable], *args) -> asyncio.Task:
        if self._closed:
            raise RuntimeError("pool is closed")

        async def run():
            async with self._limit:
                return await function(*args)

        task = asyncio.create_task(run())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def map(self, function, items: Iterable) -> AsyncIterator:
        tasks = [self.spawn(function, item) for item in items]
        for task in tasks:
            yield await task
