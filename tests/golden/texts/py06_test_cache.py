import pytest

from lru import LRUCache, TTLCache


@pytest.fixture
def cache():
    return LRUCache(capacity=3)


def fill(cache, *keys):
    for key in keys:
        cache[key] = key.upper()


class TestLRU:
    def test_evicts_the_oldest(self, cache):
        fill(cache, "a", "b", "c", "d")
        assert "a" not in cache
        assert list(cache) == ["b", "c", "d"]

    def test_get_refreshes(self, cache):
        fill(cache, "a", "b", "c")
        assert cache["a"] == "A"
        cache["d"] = "D"
        assert "a" in cache and "b" not in cache

    @pytest.mark.parametrize("capacity", [0, -1, -100])
    def test_rejects_bad_capacity(self, capacity):
        with pytest.raises(ValueError, match="capacity"):
            LRUCache(capacity=capacity)

    def test_missing_key(self, cache):
        with pytest.raises(KeyError):
            cache["nope"]
