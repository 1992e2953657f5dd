"""A worker enters its fresh multiprocessing.Lock twice; its parent, who has it as well, joins it."""
# expect: self-deadlock error
# within: 8

import multiprocessing


def add(lock, total, number):
    with lock:
        total.value += number
        if number > 1:
            add(lock, total, number - 1)


def main():
    context = multiprocessing.get_context("fork")
    lock, total = context.Lock(), context.Value("i", 0, lock=False)
    child = context.Process(target=add, args=(lock, total, 2))
    child.start()
    child.join()
    print(total.value)


if __name__ == "__main__":
    main()
