"""The program ends before it has read its child's results; multiprocessing's exit joins the child, who cannot end before that."""
# expect: join-before-drain error
# within: 8

import multiprocessing


def compute(results):
    for step in range(3):
        results.put([step] * 200000)


def main():
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    context.Process(target=compute, args=(results,)).start()
    print(len(results.get()))
    globals()["kept"] = results


if __name__ == "__main__":
    main()
