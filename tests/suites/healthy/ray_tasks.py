"""Two tasks and an actor of ray."""
# needs: ray
# warns: fork-preexec-fn    ray starts its services with a preexec_fn beside its threads
import ray


@ray.remote
def square(number):
    return number * number


@ray.remote
class Counter:
    def __init__(self):
        self.value = 0

    def add(self):
        self.value += 1
        return self.value


if __name__ == "__main__":
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    counter = Counter.remote()
    print(ray.get([square.remote(2), square.remote(3), counter.add.remote(), counter.add.remote()]))
    ray.shutdown()
