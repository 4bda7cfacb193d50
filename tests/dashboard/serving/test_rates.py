"""How often an address may begin something: buckets of tokens, bounded in number."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from distpriv.dashboard.serving.rates import Answer, Buckets, Rates
from distpriv.dashboard.serving.settings import Rate
from tests.dashboard.serving.driver import Behind, asked


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_tokens_are_taken_and_come_back() -> None:
    clock = Clock()
    buckets = Buckets({"uploads": Rate(3, 60)}, clock=clock)
    assert [bool(buckets.allow("uploads", "203.0.113.7")) for _ in range(4)] == [True] * 3 + [False]
    refused = buckets.allow("uploads", "203.0.113.7")
    assert refused == Answer(20)
    assert refused.sentence.endswith("try again in 20 seconds.")
    assert Answer(1).sentence.endswith("in 1 second.")
    assert Answer(671).sentence.endswith("in 12 minutes.")
    assert buckets.allow("uploads", "203.0.113.8")
    clock.now += 19.9
    assert buckets.allow("uploads", "203.0.113.7") == Answer(1)
    clock.now += 0.1  # asking in vain has cost nothing
    assert buckets.allow("uploads", "203.0.113.7")
    assert not buckets.allow("uploads", "203.0.113.7")
    clock.now += 10_000
    assert [bool(buckets.allow("uploads", "203.0.113.7")) for _ in range(4)] == [True] * 3 + [False]


def test_looking_takes_nothing() -> None:
    buckets = Buckets({"runs": Rate(1, 60)})
    assert all(buckets.allow("runs", None, taking=False) for _ in range(5))
    assert buckets.allow("runs", None)
    assert not buckets.allow("runs", None, taking=False)


def test_kinds_apart_and_what_is_not_limited() -> None:
    buckets = Buckets({"uploads": Rate(1, 60), "runs": Rate(1, 60)})
    assert buckets.allow("uploads", None)
    assert not buckets.allow("uploads", None)
    assert buckets.allow("runs", None)
    assert all(buckets.allow("sessions", None) for _ in range(1000))


def test_one_visitor_under_many_numbers() -> None:
    buckets = Buckets({"runs": Rate(1, 60)})
    assert buckets.allow("runs", "2001:db8:1:2::1")
    assert not buckets.allow("runs", "2001:db8:1:2:ffff::9")
    assert buckets.allow("runs", "2001:db8:1:3::1")
    assert buckets.allow("runs", "::ffff:203.0.113.7")
    assert not buckets.allow("runs", "203.0.113.7")
    # The machine itself has no address where Streamlit is asked for it.
    assert buckets.allow("runs", None)
    assert not any(buckets.allow("runs", each) for each in ("127.0.0.1", "::1", "nonsense"))


def test_memory_is_bounded_whoever_asks() -> None:
    buckets = Buckets({"runs": Rate(1, 60)}, most=100)
    assert buckets.allow("runs", "203.0.113.7")
    for number in range(5000):
        buckets.allow("runs", f"10.0.{number // 250}.{number % 250}")
        assert not buckets.allow("runs", "203.0.113.7")  # who goes on asking is not forgotten
    assert len(buckets) == 100


def test_threads_take_no_token_twice() -> None:
    buckets = Buckets({"runs": Rate(500, 1e9)})
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: bool(buckets.allow("runs", "203.0.113.7")), range(2000)))
    assert sum(answers) == 500


def test_requests() -> None:
    buckets = Buckets({"sessions": Rate(1, 60), "uploads": Rate(1, 60)})
    behind = Behind()
    rates = Rates(behind, buckets.allow)
    leave = [{"type": "websocket.disconnect", "code": 1001}]
    upload = "/base/_stcore/upload_file/session/file"
    for ask in (
        lambda: asked(rates, "/_stcore/stream", websocket=leave),
        lambda: asked(rates, upload, method="PUT"),
    ):
        ask()
        refused = ask()
        assert refused.status == 429
        assert refused.headers["retry-after"] == "60"
        assert refused.body == (
            "That was asked for too often from your address; try again in 60 seconds."
        )
    assert len(behind.seen) == 2
    # A page that could not connect is refused where its visitor sees the sentence.
    browser = [("accept", "text/html,application/xml;q=0.9")]
    page = asked(rates, "/attack", headers=browser)
    assert (page.status, page.headers["retry-after"]) == (429, "60")
    assert asked(rates, "/attack", headers=browser, client=("203.0.113.9", 1)).status == 200
    for path, method in ((upload, "DELETE"), (upload, "OPTIONS"), ("/_stcore/health", "GET")):
        assert asked(rates, path, method=method).status == 200
