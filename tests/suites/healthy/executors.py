"""Pools of other projects, each with two workers."""
# needs: joblib loky pebble billiard sklearn dask distributed
# args: joblib
# args: loky
# args: pebble
# args: billiard
# args: sklearn
# args: dask
import sys


def square(number):
    return number * number


def use_joblib():
    import joblib
    return joblib.Parallel(n_jobs=2)(joblib.delayed(square)(number) for number in range(20))


def use_loky():
    from loky import get_reusable_executor
    with get_reusable_executor(max_workers=2) as pool:
        return list(pool.map(square, range(20)))


def use_pebble():
    import pebble
    with pebble.ProcessPool(2) as pool:
        late = pool.schedule(__import__("time").sleep, args=(60,), timeout=1)
        done = list(pool.map(square, range(20)).result())
        return done, type(late.exception()).__name__


def use_billiard():
    import billiard
    pool = billiard.Pool(2)
    done = pool.map(square, range(20))
    pool.close()
    pool.join()
    return done


def use_sklearn():
    from sklearn.datasets import make_classification
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import cross_val_score
    features, labels = make_classification(random_state=0)
    return len(cross_val_score(RandomForestClassifier(10, random_state=0), features, labels, n_jobs=2))


def use_dask():
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        return client.gather(client.map(square, range(20)))


if __name__ == "__main__":
    print(globals()[f"use_{sys.argv[1]}"]())
