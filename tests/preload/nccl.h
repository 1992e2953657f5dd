/*
 * What the programs that use NCCL share: ranks as processes, each with a communicator of all, that meet in collectives of the
 * stand-in in ../fake. Link `libcuda.so.1`, `libcudart.so.13` and `libnccl.so.2` of it.
 */
#ifndef MPSAN_TESTS_PRELOAD_NCCL_H
#define MPSAN_TESTS_PRELOAD_NCCL_H

#include "lib.h"

#include "../../shim/abi/nccl.h"

#define RANKS_MAX 8

ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaGraphLaunch(void *graph, cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);

/* A rank of the job; `world` has all of them. */
struct rank {
	int number, ranks;
	ncclComm_t world;
	cudaStream_t stream;
	struct meeting *meeting;
};

/* Where the ranks exchange ids, in memory that all have. */
struct meeting {
	ncclUniqueId id[RANKS_MAX];
	volatile int ready[RANKS_MAX];
};

static inline void snooze(void)
{
	const struct timespec short_time = {0, 2000000};

	nanosleep(&short_time, NULL);
}

/* The rank joins the communicator with that number; `first` of its ranks makes it. */
static NOINLINE ncclComm_t join(const struct rank *rank, int which, int ranks, int number)
{
	struct meeting *meeting = rank->meeting;
	ncclComm_t comm = NULL;

	if (number == 0) {
		must(ncclGetUniqueId(&meeting->id[which]) == ncclSuccess);
		__atomic_store_n(&meeting->ready[which], 1, __ATOMIC_SEQ_CST);
	}
	while (!__atomic_load_n(&meeting->ready[which], __ATOMIC_SEQ_CST))
		snooze();
	must(ncclCommInitRank(&comm, ranks, meeting->id[which], number) == ncclSuccess);
	return comm;
}

/* What a rank calls: they return at once. */
static NOINLINE void all_reduce(const struct rank *rank, ncclComm_t comm, size_t count)
{
	must(ncclAllReduce(NULL, NULL, count, ncclFloat32, 0, comm, rank->stream) == ncclSuccess);
}

static NOINLINE void broadcast(const struct rank *rank, ncclComm_t comm, int root)
{
	must(ncclBroadcast(NULL, NULL, 16, ncclFloat32, root, comm, rank->stream) == ncclSuccess);
}

/* Where it waits for what it called. */
static NOINLINE void wait_for_work(const struct rank *rank)
{
	must(cudaStreamSynchronize(rank->stream) == 0);
}

static void run_rank(struct rank *rank, void (*body)(const struct rank *))
{
	must(cudaSetDevice(0) == 0);
	must(cudaStreamCreateWithFlags(&rank->stream, 1) == 0);
	rank->world = join(rank, 0, rank->ranks, rank->number);
	body(rank);
	must(ncclCommDestroy(rank->world) == ncclSuccess);
}

/* Runs all ranks as children of a process that never touches CUDA; 0, or 3 if one was not as it must be. */
static inline int run_ranks(int ranks, void (*body)(const struct rank *))
{
	struct rank rank = {.ranks = ranks};
	pid_t child[RANKS_MAX];
	int status = 0;

	rank.meeting = mmap(NULL, sizeof(*rank.meeting), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(rank.meeting != MAP_FAILED);
	for (rank.number = 0; rank.number < ranks; rank.number++) {
		child[rank.number] = fork();
		must(child[rank.number] >= 0);
		if (child[rank.number] == 0) {
			run_rank(&rank, body);
			exit(0);
		}
	}
	for (int i = 0; i < ranks; i++)
		if (child_wait(child[i]))
			status = 3;
	return status;
}

#endif
