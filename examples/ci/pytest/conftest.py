pytest_plugins = ["pytest_mpsan"]
