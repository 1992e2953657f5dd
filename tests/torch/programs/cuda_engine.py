"""An engine that serves requests in a process of its own loads its model there; its parent has looked at the device."""
# expect: cuda-in-forked-child error
# may: worker-failed error
# fake: cuda
# frames: choose_device Popen._launch Engine.load
# says: torch refused to use CUDA at Engine.load
# prints: the engine failed

from cuda_calls import Runtime

runtime = Runtime()  # before torch brings its own

import torch  # noqa: E402
import torch.multiprocessing as mp  # noqa: E402


class Engine:
    def load(self):
        self.model = torch.nn.Linear(4, 4).cuda()

    def serve(self, answers):
        try:
            self.load()
        except RuntimeError as error:
            answers.put("the engine failed" if "Cannot re-initialize CUDA" in str(error) else str(error))


def choose_device():
    return torch.cuda.get_device_capability() if torch.cuda.device_count() else None


if __name__ == "__main__":
    fork = mp.get_context("fork")
    choose_device()
    queue = fork.Queue()
    engine = fork.Process(target=Engine().serve, args=(queue,), daemon=True)
    engine.start()
    print(queue.get())
    engine.join()
