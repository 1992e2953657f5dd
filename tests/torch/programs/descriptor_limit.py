"""Every tensor that is received and kept costs a descriptor, and there are few."""
# expect: shm-fd-limit error
# may: shm-fd-limit warning
# may: shm-sender-exited warning
# may: shm-leaked error
# needs: torch
# prints: no more descriptors: True

import resource

import torch
import torch.multiprocessing as mp

TENSORS = 200
DESCRIPTORS = 64


def send(tensors, done):
    for number in range(TENSORS):
        tensors.put(torch.full((10,), float(number)))
    done.wait()


def main():
    tensors, done = mp.Queue(), mp.Event()
    worker = mp.Process(target=send, args=(tensors, done), daemon=True)
    worker.start()
    resource.setrlimit(resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS))
    kept = []
    try:
        while len(kept) < TENSORS:
            kept.append(tensors.get())
    except (OSError, EOFError, RuntimeError):
        print("no more descriptors:", 0 < len(kept) < DESCRIPTORS)
    done.set()
    worker.terminate()
    worker.join()


if __name__ == "__main__":
    main()
