"""A server, a visitor with a table of their own who leaves, and what of it is still there."""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import threading
import time
import weakref

import numpy as np
import pandas as pd
import uvicorn
from streamlit import config, runtime

from app import app
from benchmarks.visitor import Visitor
from distpriv.dashboard.serving import memory
from distpriv.dashboard.shell.dataset import UPLOAD
from distpriv.dashboard.shell.state import Key
from distpriv.dashboard.shell.uploads import from_upload
from distpriv.model.gaussian import GaussianModel
from distpriv.model.moments import RecordGroups
from distpriv.model.run import Run

COUNT = 3141


def _own_table() -> tuple[object, list[weakref.ref[object]]]:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {"age": rng.integers(20, 60, COUNT), "rich": rng.choice(["yes", "no"], COUNT)}
    )
    content = frame.to_csv(index=False).encode()
    dataset = from_upload(content, "own.csv")  # which counts it
    return dataset, [weakref.ref(dataset), weakref.ref(dataset.table)]


def _session() -> object:
    (info,) = runtime.get_instance()._session_mgr.list_active_sessions()
    return info.session


def _of_the_visitor() -> list[weakref.ref[object]]:
    """What has been computed for the one who is here."""
    return [
        weakref.ref(each)
        for each in gc.get_objects()
        if isinstance(each, RecordGroups | GaussianModel | Run)
    ]


async def _visit(port: int) -> list[weakref.ref[object]]:
    async with Visitor(port, "attack") as visitor:
        dataset, held = _own_table()
        state = _session().session_state
        state[Key.UPLOAD] = dataset
        del dataset
        await visitor.put(Key.DATA, UPLOAD)
        assert state[Key.DATASET].size == COUNT
        await visitor.click("attack_start")
        await asyncio.sleep(1.0)
        assert not visitor.problems, visitor.problems
        assert state[Key.RUNS]["attack"].done > 0
        held += _of_the_visitor()
        del state
    return held


def main() -> None:
    config.set_option("server.disconnectedSessionTTL", int(sys.argv[1]))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="warning"))
    threading.Thread(target=server.run, daemon=True).start()
    while not server.started:
        time.sleep(0.05)
    port = server.servers[0].sockets[0].getsockname()[1]
    held = asyncio.run(_visit(port))
    until = time.monotonic() + float(sys.argv[2])
    counts = memory.everybodys()  # a moment later: what goes is told of by another thread
    while (any(ref() is not None for ref in held) or counts.sessions) and time.monotonic() < until:
        time.sleep(0.2)
    gc.collect()
    left = [type(ref()).__name__ for ref in held if ref() is not None]
    told = {
        "held": len(held),
        "left": left,
        "counted": counts.sessions,
    }
    print(json.dumps(told))


main()
