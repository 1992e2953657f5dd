"""These hang, or may: under mpsan each fails with the story of its hazard. Without it the first one hangs for ever."""

from prices import Refresher, look_up, price_from_process


def test_fork_beside_refresh():
    assert look_up("bread") == 3
    with Refresher():
        assert price_from_process("bread", "fork") == 3
