"""The initializer fails in each worker, so that the pool replaces workers for ever and no task is ever done."""
# expect: worker-failed error
# or: worker-failed warning
# or: hang warning
# says: FileNotFoundError\('weights.bin'\) at load \(initializer-fails.py:14\)|hang
# options: --hang-after 4
# within: 15
# outside: nothing: how the workers ended

import multiprocessing


def load():
    raise FileNotFoundError("weights.bin")


def predict(number):
    return number


def main():
    with multiprocessing.get_context("fork").Pool(1, initializer=load) as pool:
        print(pool.map(predict, range(3)))


if __name__ == "__main__":
    main()
