"""An option and a fixture of the project's own: the watched tests have them, too."""

import pytest


def pytest_addoption(parser):
    parser.addoption("--flavour", default="vanilla")


@pytest.fixture
def flavour(request):
    return request.config.getoption("--flavour")
