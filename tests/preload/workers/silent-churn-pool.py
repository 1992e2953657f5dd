"""One pool does all rounds of work."""
# expect: none
# silent: worker-churn nested-workers child-not-joined worker-failed cow-growth
import multiprocessing


def square(number):
    return number * number


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print([sum(pool.map(square, range(count))) for count in range(5)])
        pool.close()
        pool.join()
