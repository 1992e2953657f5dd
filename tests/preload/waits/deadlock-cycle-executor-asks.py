"""A task of a ProcessPoolExecutor asks its parent over a pipe, and the parent waits for the task's result: the executor's own
thread polls the worker's pipes meanwhile, and nothing will come."""
# expect: deadlock-cycle error
# ends: never
# frames: ask parent_waits

import concurrent.futures
import multiprocessing


def ask(number):
    answers.put(number)
    return questions.get()


def parent_waits(future):
    return future.result()


if __name__ == "__main__":
    context = multiprocessing.get_context("fork")
    questions, answers = context.SimpleQueue(), context.SimpleQueue()
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        first = pool.submit(ask, 1)
        questions.put(answers.get())
        assert first.result() == 1
        parent_waits(pool.submit(ask, 2))
