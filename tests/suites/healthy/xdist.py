"""pytest -n 2 with tests that use processes."""
# needs: pytest xdist
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = '''
import multiprocessing
import pytest

@pytest.mark.parametrize("number", range(6))
def test_pool(number):
    with multiprocessing.Pool(2) as pool:
        assert pool.map(abs, [-number] * 4) == [number] * 4
'''

if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        Path(place, "test_pools.py").write_text(TESTS)
        print("status", subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "2", place],
                                       stdout=subprocess.DEVNULL).returncode)
