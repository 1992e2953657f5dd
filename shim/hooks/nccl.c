/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks of NCCL: which rank has entered which collective. A collective is recorded before the call, since other ranks act on it,
 * and taken back if the call fails.
 */
#include "../cuda/nccl.h"

#include <link.h>

#include "../common/hash.h"
#include "../intercept/elf.h"
#include "../intercept/sys.h"
#include "../record/state.h"

#define BEGIN(name)            \
	ENTER(name);           \
	struct nccl_call call; \
	__typeof__(&name) real = (__typeof__(&name))hook_real_at(HOOK_##name, CALLER)
/* Of a library that is not there. */
#define REALLY(...) (real ? real(__VA_ARGS__) : ncclSystemError)

static bool has_failed(ncclResult_t result)
{
	return result != ncclSuccess && result != ncclInProgress;
}

#define COLLECTIVE(name, of, count, its_root, parameters, arguments)                       \
	EXPORT ncclResult_t name parameters                                                \
	{                                                                                  \
		BEGIN(name);                                                               \
		struct nccl_entry entry;                                                   \
		ncclResult_t result;                                                       \
                                                                                           \
		nccl_begin(&call);                                                         \
		entry = nccl_enter(&call, comm,                                            \
				   (struct mpsan_comm_call){.what = MPSAN_COLLECTIVE_##of, \
							    .elements = count,             \
							    .type = (uint32_t)type,        \
							    .root = its_root});            \
		result = REALLY arguments;                                                 \
		if (UNLIKELY(has_failed(result)))                                          \
			nccl_take_back(&entry);                                            \
		nccl_end(&call);                                                           \
		return result;                                                             \
	}
/* clang-format off */
COLLECTIVE(ncclAllReduce, ALL_REDUCE, count, -1, (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream), (from, to, count, type, op, comm, stream))
COLLECTIVE(ncclBroadcast, BROADCAST, count, root, (const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream), (from, to, count, type, root, comm, stream))
COLLECTIVE(ncclBcast, BROADCAST, count, root, (void *data, size_t count, ncclDataType_t type, int root, ncclComm_t comm, cudaStream_t stream), (data, count, type, root, comm, stream))
COLLECTIVE(ncclReduce, REDUCE, count, root, (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream), (from, to, count, type, op, root, comm, stream))
COLLECTIVE(ncclAllGather, ALL_GATHER, count, -1, (const void *from, void *to, size_t count, ncclDataType_t type, ncclComm_t comm, cudaStream_t stream), (from, to, count, type, comm, stream))
COLLECTIVE(ncclReduceScatter, REDUCE_SCATTER, count, -1, (const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream), (from, to, count, type, op, comm, stream))
COLLECTIVE(ncclSend, SEND, count, peer, (const void *from, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream), (from, count, type, peer, comm, stream))
COLLECTIVE(ncclRecv, RECV, count, peer, (void *to, size_t count, ncclDataType_t type, int peer, ncclComm_t comm, cudaStream_t stream), (to, count, type, peer, comm, stream))
/* clang-format on */

/* What is inside a group is queued at its end, which may wait for others to connect. */
EXPORT ncclResult_t ncclGroupStart(void)
{
	BEGIN(ncclGroupStart);

	(void)call;
	return REALLY();
}

EXPORT ncclResult_t ncclGroupEnd(void)
{
	BEGIN(ncclGroupEnd);
	ncclResult_t result;

	nccl_begin(&call);
	result = REALLY();
	if (UNLIKELY(has_failed(result)))
		nccl_lose_count();
	nccl_end(&call);
	return result;
}

#define JOIN(name, its_id, parameters, arguments)                              \
	EXPORT ncclResult_t name parameters                                    \
	{                                                                      \
		BEGIN(name);                                                   \
		struct mpsan_comm *record;                                     \
		ncclResult_t result;                                           \
                                                                               \
		nccl_begin(&call);                                             \
		record = real ? nccl_joins(&call, its_id, rank, ranks) : NULL; \
		result = REALLY arguments;                                     \
		nccl_joined(record, record ? *comm : NULL, result);            \
		nccl_end(&call);                                               \
		return result;                                                 \
	}
/* clang-format off */
JOIN(ncclCommInitRank, hash_bytes(HASH_EMPTY, &id, sizeof(id)), (ncclComm_t *comm, int ranks, ncclUniqueId id, int rank), (comm, ranks, id, rank))
JOIN(ncclCommInitRankConfig, hash_bytes(HASH_EMPTY, &id, sizeof(id)), (ncclComm_t *comm, int ranks, ncclUniqueId id, int rank, ncclConfig_t *config), (comm, ranks, id, rank, config))
JOIN(ncclCommInitRankScalable, hash_bytes(HASH_EMPTY, id, (uint64_t)ids * sizeof(*id)), (ncclComm_t *comm, int ranks, int rank, int ids, ncclUniqueId *id, ncclConfig_t *config), (comm, ranks, rank, ids, id, config))
/* clang-format on */

/* All ranks are in this process, and have no id that others know. */
static uint64_t own_id(const void *of)
{
	return hash_add(hash_add(hash_add(HASH_EMPTY, life.pid), sys_now()),
			(uint64_t)(uintptr_t)of);
}

EXPORT ncclResult_t ncclCommInitAll(ncclComm_t *comm, int devices, const int *list)
{
	BEGIN(ncclCommInitAll);
	ncclResult_t result;
	uint64_t id;

	nccl_begin(&call);
	result = REALLY(comm, devices, list);
	id = own_id(comm);
	for (int i = 0; result == ncclSuccess && i < devices; i++)
		nccl_joined(nccl_joins(&call, id, i, devices), comm[i], result);
	nccl_end(&call);
	return result;
}

/*
 * Which rank this process has in a communicator that a split made; -1: it is not known, as while it is made
 * without blocking.
 */
static int ask(const struct link_map *in, const char *name, ncclComm_t comm)
{
	ncclResult_t (*f)(ncclComm_t, int *) = elf_find_in(in, name, NULL);
	int answer = -1;

	return f && f(comm, &answer) == ncclSuccess ? answer : -1;
}

static void note_part(const struct nccl_call *call, uint64_t caller, uint64_t id, ncclComm_t made)
{
	const struct link_map *in = NULL;
	int rank, ranks;

	if (!hook_real_of(HOOK_ncclCommSplit, caller, &in))
		return;
	rank = ask(in, "ncclCommUserRank", made);
	ranks = ask(in, "ncclCommCount", made);
	nccl_joined(nccl_joins(call, id, rank, ranks), made, ncclSuccess);
}

EXPORT ncclResult_t ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made,
				  ncclConfig_t *config)
{
	BEGIN(ncclCommSplit);
	struct nccl_entry entry;
	ncclResult_t result;
	uint64_t id;

	nccl_begin(&call);
	entry = nccl_enter(&call, comm,
			   (struct mpsan_comm_call){.what = MPSAN_COLLECTIVE_SPLIT, .root = -1});
	result = REALLY(comm, color, key, made, config);
	if (has_failed(result))
		nccl_take_back(&entry);
	else if (entry.comm && made && *made) {
		id = hash_add(hash_add(entry.comm->id, entry.comm->entered), (uint64_t)color);
		note_part(&call, CALLER, id, *made);
	}
	nccl_end(&call);
	return result;
}

EXPORT ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
	BEGIN(ncclCommFinalize);
	ncclResult_t result;

	nccl_begin(&call);
	result = REALLY(comm);
	nccl_end(&call);
	return result;
}

#define LEAVE(name, as)                                             \
	EXPORT ncclResult_t name(ncclComm_t comm)                   \
	{                                                           \
		BEGIN(name);                                        \
		struct mpsan_comm *record;                          \
		ncclResult_t result;                                \
                                                                    \
		nccl_begin(&call);                                  \
		record = call.outermost ? nccl_leaves(comm) : NULL; \
		result = REALLY(comm);                              \
		nccl_left(record, as);                              \
		nccl_end(&call);                                    \
		return result;                                      \
	}
LEAVE(ncclCommDestroy, MPSAN_COMM_DESTROYED)
LEAVE(ncclCommAbort, MPSAN_COMM_ABORTED)
