"""Executors for sweeps beyond threads: what has the interface of `concurrent.futures`.

    with stiction.executors.ray() as executor:
        stiction.sweep(case, parameters, executor=executor, out="results.parquet")

    stiction.sweep(case, parameters, executor=stiction.executors.dask(client))
"""

from __future__ import annotations

import os
from concurrent.futures import Executor, Future
from typing import Any, Callable

__all__ = ["dask", "ray"]


def dask(client: Any) -> Executor:
    """The executor of a `dask.distributed.Client`. Every case is run, also one whose parameters repeat."""
    executor: Executor = client.get_executor(pure=False)
    return executor


def ray(**options: Any) -> "RayExecutor":
    """Cases as tasks of Ray, which is started here if it is not running; options are those of `ray.init`."""
    return RayExecutor(**options)


class RayExecutor(Executor):
    """Calls as tasks of Ray; those whose worker dies are run again by Ray."""

    def __init__(self, **options: Any) -> None:
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        self._ray = ray
        self._started = not ray.is_initialized()
        if self._started:
            ray.init(**{"include_dashboard": False, "log_to_driver": False, **options})
        self._task = ray.remote(call)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Starts a call."""
        future: "Future[Any]" = self._task.remote(fn, args, kwargs).future()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Ends Ray, if this started it."""
        if self._started and self._ray.is_initialized():
            self._ray.shutdown()


def call(fn: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a function in a worker."""
    return fn(*args, **kwargs)
