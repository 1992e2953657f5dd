"""A forked child computes with JAX, which has no guard: the driver refuses, or the child hangs on what a thread of its
parent held, until an alarm ends it."""

import os
import signal

import jax.numpy as jnp


def train():
    signal.alarm(20)
    try:
        print(float(jnp.ones(8).sum()), flush=True)
    finally:
        os._exit(0)


if __name__ == "__main__":
    print(float(jnp.ones(8).sum()), flush=True)
    child = os.fork()
    if child == 0:
        train()
    os.waitpid(child, 0)
