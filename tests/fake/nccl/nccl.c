/*
 * A stand-in for NCCL: communicators between the processes of one machine. A collective returns once it is queued, as the real
 * one does; it is done when all ranks have queued the one with its number, of the same kind. No data moves.
 *
 * A unique id names a memory file of the process that made it, which the others open through /proc: nothing stays behind.
 */
#define _GNU_SOURCE 1

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "../../../shim/abi/nccl.h"
#include "../pending.h"

#define RANKS 16
#define CALLS 256u /* a rank is never so far ahead of another in a test */
#define SPLITS 4
#define COLORS 4
#define MAGIC 0x6c63636e61706d00ull

struct call {
	uint64_t kind, count, type, root;
};

/* What the ranks of a communicator share. */
struct shared {
	uint32_t here; /* ranks that have come */
	uint32_t entered[RANKS];
	uint32_t sent[RANKS][RANKS], received[RANKS][RANKS]; /* from the first to the second */
	struct call call[RANKS][CALLS];
	struct split {
		int key[RANKS], color[RANKS]; /* color: + 2; 0: it has not come */
	} split[SPLITS];
};

#define FILE_BYTES ((1 + SPLITS * COLORS) * sizeof(struct shared))

struct place {
	uint64_t magic;
	int pid, fd;
};

struct ncclComm {
	struct shared *shared;
	int rank, ranks;
	uint32_t splits;
	bool is_part; /* made by a split */
	bool aborted; /* its work is over */
};

enum kind { ALL_REDUCE = 1, BROADCAST, REDUCE, ALL_GATHER, REDUCE_SCATTER, SEND, RECV };

struct work {
	ncclComm_t comm;
	enum kind kind;
	struct call call;
	uint32_t number;
	cudaStream_t stream;
	struct work *next;
};

static __thread int depth;
static __thread struct work *group;

static const struct fake_table *driver(void)
{
	static const struct fake_table *table;
	const CUuuid id = {FAKE_TABLE_ID};
	int (*ask)(const void **, const CUuuid *);
	const void *found = NULL;
	void *library;

	if (table)
		return table;
	library = dlopen("libcuda.so.1", RTLD_NOW);
	ask = library ? (int (*)(const void **, const CUuuid *))dlsym(library, "cuGetExportTable") :
			NULL;
	if (ask && !ask(&found, &id))
		table = found;
	return table;
}

/* ---- communicators ---- */

static struct shared *map(int fd)
{
	void *at = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return at == MAP_FAILED ? NULL : at;
}

static int make_file(ncclUniqueId *id)
{
	struct place place = {.magic = MAGIC, .pid = getpid()};

	memset(id, 0, sizeof(*id));
	place.fd = memfd_create("fake-nccl", MFD_CLOEXEC);
	if (place.fd < 0 || ftruncate(place.fd, FILE_BYTES))
		return -1;
	memcpy(id->internal, &place, sizeof(place));
	return getrandom(id->internal + sizeof(place), 32, 0) == 32 ? place.fd : -1;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *id);
EXPORT ncclResult_t ncclGetUniqueId(ncclUniqueId *id)
{
	return make_file(id) < 0 ? ncclSystemError : ncclSuccess;
}

static struct shared *open_file(const ncclUniqueId *id)
{
	struct place place;
	struct shared *shared;
	char path[64];
	int fd;

	memcpy(&place, id->internal, sizeof(place));
	if (place.magic != MAGIC)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", place.pid, place.fd);
	fd = open(path, O_RDWR | O_CLOEXEC);
	shared = fd < 0 ? NULL : map(fd);
	if (fd >= 0)
		close(fd);
	return shared;
}

static void nap(void)
{
	usleep(1000);
}

static ncclComm_t make_comm(struct shared *shared, int ranks, int rank)
{
	ncclComm_t comm = malloc(sizeof(*comm));

	*comm = (struct ncclComm){.shared = shared, .rank = rank, .ranks = ranks};
	__atomic_fetch_add(&shared->here, 1, __ATOMIC_SEQ_CST);
	return comm;
}

EXPORT ncclResult_t ncclCommInitRank(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank)
{
	struct shared *shared =
		ranks > 0 && ranks <= RANKS && rank >= 0 && rank < ranks ? open_file(&id) : NULL;

	if (!comm || !shared)
		return ncclInvalidArgument;
	*comm = make_comm(shared, ranks, rank);
	while (!depth && __atomic_load_n(&shared->here, __ATOMIC_SEQ_CST) < (uint32_t)ranks)
		nap();
	return ncclSuccess;
}

EXPORT ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int ranks, ncclUniqueId id, int rank,
					   ncclConfig_t *config)
{
	(void)config;
	return ncclCommInitRank(comm, ranks, id, rank);
}

EXPORT ncclResult_t ncclCommInitRankScalable(ncclComm_t *comm, int ranks, int rank, int ids,
					     ncclUniqueId *id, ncclConfig_t *config)
{
	(void)config;
	return ids < 1 || !id ? ncclInvalidArgument : ncclCommInitRank(comm, ranks, *id, rank);
}

EXPORT ncclResult_t ncclCommInitAll(ncclComm_t *comm, int devices, const int *list)
{
	ncclUniqueId id;
	int fd = comm && devices > 0 && devices <= RANKS ? make_file(&id) : -1;
	struct shared *shared = fd < 0 ? NULL : map(fd);

	(void)list;
	for (int i = 0; shared && i < devices; i++)
		comm[i] = make_comm(shared, devices, i);
	return shared ? ncclSuccess : ncclInvalidArgument;
}

EXPORT ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
	return comm ? ncclSuccess : ncclInvalidArgument;
}

/* What is queued may still refer to it. */
EXPORT ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	return comm ? ncclSuccess : ncclInvalidArgument;
}

EXPORT ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	if (comm)
		comm->aborted = true;
	return ncclCommDestroy(comm);
}

EXPORT ncclResult_t ncclCommCount(ncclComm_t comm, int *ranks)
{
	*ranks = comm->ranks;
	return ncclSuccess;
}

EXPORT ncclResult_t ncclCommUserRank(ncclComm_t comm, int *rank)
{
	*rank = comm->rank;
	return ncclSuccess;
}

ncclResult_t ncclGetVersion(int *version);
EXPORT ncclResult_t ncclGetVersion(int *version)
{
	*version = 22703;
	return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result);
EXPORT const char *ncclGetErrorString(ncclResult_t result)
{
	return result ? "error" : "no error";
}

/* ---- splits: the communicators that they make lie behind the first one in its file ---- */

static bool precedes(const struct split *split, int one, int other)
{
	return split->key[one] < split->key[other] ||
	       (split->key[one] == split->key[other] && one < other);
}

static void exchange(ncclComm_t comm, struct split *split, int color, int key)
{
	split->key[comm->rank] = key;
	__atomic_store_n(&split->color[comm->rank], color + 2, __ATOMIC_SEQ_CST);
	for (int i = 0; i < comm->ranks; i++)
		while (!__atomic_load_n(&split->color[i], __ATOMIC_SEQ_CST))
			nap();
}

EXPORT ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made,
				  ncclConfig_t *config)
{
	uint32_t number = comm->splits++;
	struct split *split = &comm->shared->split[number];
	int rank = 0, ranks = 0;

	(void)config;
	if (number >= SPLITS || color >= COLORS || comm->is_part)
		return ncclInvalidUsage;
	exchange(comm, split, color, key);
	for (int i = 0; i < comm->ranks; i++) {
		bool same = split->color[i] == color + 2;

		ranks += same;
		rank += same && precedes(split, i, comm->rank);
	}
	*made = NULL;
	if (color == NCCL_SPLIT_NOCOLOR)
		return ncclSuccess;
	*made = make_comm(comm->shared + 1 + number * COLORS + color, ranks, rank);
	(*made)->is_part = true;
	return ncclSuccess;
}

/* ---- work ---- */

static uint32_t load(const uint32_t *at)
{
	return __atomic_load_n(at, __ATOMIC_SEQ_CST);
}

static bool is_done(const struct work *work)
{
	struct shared *s = work->comm->shared;
	uint32_t me = (uint32_t)work->comm->rank, peer = (uint32_t)work->call.root;

	if (work->comm->aborted)
		return true;
	if (work->kind == SEND)
		return load(&s->received[peer][me]) >= work->number;
	if (work->kind == RECV)
		return load(&s->sent[peer][me]) >= work->number;
	for (int i = 0; i < work->comm->ranks; i++)
		if (load(&s->entered[i]) < work->number ||
		    memcmp(&s->call[i][work->number % CALLS], &work->call, sizeof(work->call)))
			return false;
	return true;
}

static int done(void *data)
{
	struct work *work = data;
	bool is = is_done(work);

	if (is)
		free(work);
	return is;
}

/* What others see of it. */
static void enter(struct work *work)
{
	struct shared *s = work->comm->shared;
	uint32_t me = (uint32_t)work->comm->rank, peer = (uint32_t)work->call.root, *count;

	count = work->kind == SEND ? &s->sent[me][peer] :
		work->kind == RECV ? &s->received[me][peer] :
				     &s->entered[me];
	work->number = *count + 1;
	if (work->kind < SEND)
		s->call[me][work->number % CALLS] = work->call;
	__atomic_store_n(count, work->number, __ATOMIC_SEQ_CST);
}

static ncclResult_t launch(struct work *work)
{
	enter(work);
	return driver() && !driver()->queue(work->stream, done, work) ? ncclSuccess :
									ncclUnhandledCudaError;
}

static ncclResult_t add(ncclComm_t comm, cudaStream_t stream, enum kind kind, struct call call)
{
	struct work *work = malloc(sizeof(*work)), **end = &group;

	if (!comm || call.root >= (uint64_t)comm->ranks) {
		free(work);
		return ncclInvalidArgument;
	}
	call.kind = kind;
	*work = (struct work){.comm = comm, .kind = kind, .call = call, .stream = stream};
	if (!depth)
		return launch(work);
	while (*end)
		end = &(*end)->next;
	*end = work;
	return ncclSuccess;
}

EXPORT ncclResult_t ncclGroupStart(void)
{
	depth++;
	return ncclSuccess;
}

EXPORT ncclResult_t ncclGroupEnd(void)
{
	ncclResult_t result = ncclSuccess;
	struct work *next;

	if (!depth)
		return ncclInvalidUsage;
	if (--depth)
		return ncclSuccess;
	for (; group; group = next) {
		next = group->next;
		result = launch(group) ? ncclUnhandledCudaError : result;
	}
	return result;
}

#define CALL_OF(kind, count, type, root) kind, ((struct call){0, count, type, (uint64_t)(root)})
/* clang-format off */
EXPORT ncclResult_t ncclAllReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	(void)from, (void)to, (void)op;
	return add(comm, stream, CALL_OF(ALL_REDUCE, count, type, 0));
}

EXPORT ncclResult_t ncclBroadcast(const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream)
{
	(void)from, (void)to;
	return add(comm, stream, CALL_OF(BROADCAST, count, type, root));
}

EXPORT ncclResult_t ncclBcast(void *data, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream)
{
	return ncclBroadcast(data, data, count, type, root, comm, stream);
}

EXPORT ncclResult_t ncclReduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream)
{
	(void)from, (void)to, (void)op;
	return add(comm, stream, CALL_OF(REDUCE, count, type, root));
}

EXPORT ncclResult_t ncclAllGather(const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream)
{
	(void)from, (void)to;
	return add(comm, stream, CALL_OF(ALL_GATHER, count, type, 0));
}

EXPORT ncclResult_t ncclReduceScatter(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	(void)from, (void)to, (void)op;
	return add(comm, stream, CALL_OF(REDUCE_SCATTER, count, type, 0));
}

EXPORT ncclResult_t ncclSend(const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)
{
	(void)from;
	return add(comm, stream, CALL_OF(SEND, count, type, peer));
}

EXPORT ncclResult_t ncclRecv(void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream)
{
	(void)to;
	return add(comm, stream, CALL_OF(RECV, count, type, peer));
}
