"""These pass, under mpsan as well."""

import pytest

from prices import Refresher, look_up, price_from_process


def test_look_up():
    assert look_up("bread") == 3


def test_process():
    assert price_from_process("bread", "fork") == 3


def test_process_beside_refresh():
    with Refresher():
        assert price_from_process("bread", "spawn") == 3


@pytest.mark.parametrize("name", ["milk [1l]"])
def test_unknown(name):
    with pytest.raises(KeyError):
        look_up(name)
