/*
 * Ranks that meet in collectives of NCCL, or fail to: the first argument names how. preload/test_nccl.py says what must be told
 * of each.
 */
// link: build/fake/libcuda.so.1 build/fake/libcudart.so.13 build/fake/libnccl.so.2
#include "nccl.h"

#include <signal.h>

#define LONG_S 9 /* longer than ranks wait before they are judged */

static void sleep_long(void)
{
	const struct timespec long_time = {LONG_S, 0};

	must(nanosleep(&long_time, NULL) == 0);
}

static NOINLINE void begin(const struct rank *rank)
{
	all_reduce(rank, rank->world, 1024);
	all_reduce(rank, rank->world, 1024);
	wait_for_work(rank);
}

/* The last rank of a job of four calls another collective than the rest. */
static void other(const struct rank *rank)
{
	begin(rank);
	if (rank->number == 2)
		broadcast(rank, rank->world, 0);
	else
		all_reduce(rank, rank->world, 1024);
	wait_for_work(rank);
}

static void size(const struct rank *rank)
{
	begin(rank);
	all_reduce(rank, rank->world, rank->number ? 1024 : 512);
	must(cudaDeviceSynchronize() == 0);
}

/* One rank has fewer batches than the others. */
static void ended(const struct rank *rank)
{
	begin(rank);
	if (rank->number == 2)
		exit(0);
	all_reduce(rank, rank->world, 1024);
	wait_for_work(rank);
}

/* The same, of ranks that launch graphs, too: what these hold is not counted. */
static void graphs(const struct rank *rank)
{
	must(cudaGraphLaunch(NULL, rank->stream) != 0);
	ended(rank);
}

static void left(const struct rank *rank)
{
	begin(rank);
	if (rank->number == 2) {
		must(ncclCommDestroy(rank->world) == ncclSuccess);
		pause();
	}
	all_reduce(rank, rank->world, 1024);
	wait_for_work(rank);
}

static void locked(const struct rank *rank)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

	begin(rank);
	if (rank->number == 1) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_lock(&mutex);
	}
	all_reduce(rank, rank->world, 1024);
	wait_for_work(rank);
}

/* Two groups of the same ranks, which meet in them in different orders. */
static void crossed(const struct rank *rank)
{
	ncclComm_t second = join(rank, 1, rank->ranks, rank->number);

	begin(rank);
	all_reduce(rank, rank->number ? second : rank->world, 64);
	wait_for_work(rank);
	all_reduce(rank, rank->number ? rank->world : second, 64);
	wait_for_work(rank);
}

static void receive(const struct rank *rank, int from)
{
	must(ncclRecv(NULL, 8, ncclInt64, from, rank->world, rank->stream) == ncclSuccess);
	wait_for_work(rank);
}

static void messages(const struct rank *rank)
{
	begin(rank);
	receive(rank, !rank->number);
	must(ncclSend(NULL, 8, ncclInt64, !rank->number, rank->world, rank->stream) == ncclSuccess);
	wait_for_work(rank);
}

static void unsent(const struct rank *rank)
{
	begin(rank);
	if (rank->number)
		exit(5);
	receive(rank, 1);
}

/* Of four ranks those with odd numbers are a group of their own, one of which forgets to take part. */
static void part(const struct rank *rank)
{
	ncclComm_t made;

	begin(rank);
	must(ncclCommSplit(rank->world, rank->number % 2, rank->number, &made, NULL) ==
	     ncclSuccess);
	all_reduce(rank, made, 32);
	wait_for_work(rank);
	if (rank->number == 3)
		exit(1);
	if (rank->number % 2)
		must(ncclReduceScatter(NULL, NULL, 1, ncclBfloat16, 0, made, rank->stream) ==
		     ncclSuccess);
	wait_for_work(rank);
	if (rank->number % 2 == 0)
		sleep_long();
}

/* A process that is all ranks by itself, and enters a collective as one of them only. */
static void alone(const struct rank *rank)
{
	ncclComm_t all[2];

	must(ncclCommInitAll(all, 2, NULL) == ncclSuccess);
	all_reduce(rank, all[0], 1);
	wait_for_work(rank);
}

/* ---- jobs that end ---- */

static void healthy(const struct rank *rank)
{
	int next = (rank->number + 1) % rank->ranks,
	    before = (rank->number + rank->ranks - 1) % rank->ranks;
	ncclComm_t made;

	begin(rank);
	for (int i = 0; i < 200; i++) {
		errno = 77;
		all_reduce(rank, rank->world, 1024);
		must(errno == 77);
		must(ncclBcast(NULL, 4, ncclInt32, i % rank->ranks, rank->world, rank->stream) ==
		     ncclSuccess);
		must(ncclGroupStart() == ncclSuccess);
		must(ncclSend(NULL, 8, ncclInt8, next, rank->world, rank->stream) == ncclSuccess);
		must(ncclRecv(NULL, 8, ncclInt8, before, rank->world, rank->stream) == ncclSuccess);
		must(ncclGroupEnd() == ncclSuccess);
		if (i % 20 == 0)
			wait_for_work(rank);
		must(ncclAllReduce(NULL, NULL, 1, ncclInt8, 0, NULL, rank->stream) ==
		     ncclInvalidArgument);
		must(ncclBroadcast(NULL, NULL, 1, ncclInt8, 99, rank->world, rank->stream) ==
		     ncclInvalidArgument);
	}
	must(ncclCommSplit(rank->world, rank->number % 2, 0, &made, NULL) == ncclSuccess);
	all_reduce(rank, made, 1);
	must(cudaDeviceSynchronize() == 0);
	must(ncclCommFinalize(made) == ncclSuccess && ncclCommDestroy(made) == ncclSuccess);
}

static void burn(void)
{
	struct timespec start, now;

	clock_gettime(CLOCK_MONOTONIC, &start);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while (now.tv_sec - start.tv_sec < LONG_S);
}

/* Ranks 0 and 5 wait for one that sleeps, one that computes, and one that waits for the device, which rank 4 gives work to late. */
static void slow(const struct rank *rank)
{
	ncclComm_t device =
		rank->number == 3 || rank->number == 4 ? join(rank, 1, 2, rank->number - 3) : NULL;

	begin(rank);
	if (rank->number == 1 || rank->number == 4)
		sleep_long();
	if (rank->number == 2)
		burn();
	if (device) {
		all_reduce(rank, device, 1);
		wait_for_work(rank);
	}
	all_reduce(rank, rank->world, 1024);
	wait_for_work(rank);
}

/* Ranks that look again and again give up, and end the communicator. */
static void aborted(const struct rank *rank)
{
	begin(rank);
	if (rank->number == 1)
		exit(0);
	all_reduce(rank, rank->world, 1024);
	for (int i = 0; i < LONG_S * 100; i++) {
		const struct timespec nap = {0, 10000000};

		must(cudaStreamQuery(rank->stream) == 600);
		nanosleep(&nap, NULL);
	}
	must(ncclCommAbort(rank->world) == ncclSuccess);
	wait_for_work(rank);
	exit(0);
}

static void leave(int number)
{
	(void)number;
	_exit(0);
}

/* A group that failed was not queued: what its rank has entered is not known. */
static void failed(const struct rank *rank)
{
	begin(rank);
	must(ncclGroupEnd() == ncclInvalidUsage);
	if (rank->number == 1)
		exit(0);
	signal(SIGALRM, leave);
	alarm(LONG_S);
	all_reduce(rank, rank->world, 1024);
	wait_for_work(rank);
}

static const struct way {
	const char *name;
	int ranks;
	void (*body)(const struct rank *);
} ways[] = {
	{"other", 4, other},	   {"size", 2, size},	    {"ended", 4, ended},
	{"left", 4, left},	   {"locked", 3, locked},   {"crossed", 2, crossed},
	{"messages", 2, messages}, {"unsent", 2, unsent},   {"part", 4, part},
	{"alone", 1, alone},	   {"healthy", 4, healthy}, {"slow", 6, slow},
	{"aborted", 3, aborted},   {"graphs", 4, graphs},   {"failed", 2, failed},
};

int main(int count, char **arguments)
{
	must(count == 2);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, arguments[1]))
			return run_ranks(ways[i].ranks, ways[i].body);
	return 2;
}
