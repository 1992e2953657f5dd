"""JAX: a spawned child computes on the device beside its parent."""
# expect: none
# silent: cuda-in-forked-child
# needs: jax
# prints: 8.0
# prints: 8.0

import multiprocessing
import os

os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"

import jax.numpy as jnp  # noqa: E402


def train():
    print(float(jnp.ones(8).sum()), flush=True)


if __name__ == "__main__":
    train()
    worker = multiprocessing.get_context("spawn").Process(target=train)
    worker.start()
    worker.join()
