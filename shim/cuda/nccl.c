/* SPDX-License-Identifier: Apache-2.0 */
/* The table of communicators, by address: an open hash table that is read without a lock. */
#include "nccl.h"

#include "../intercept/sys.h"
#include "../record/log.h"
#include "../record/state.h"
#include "../record/thread.h"

#define COMMS 256u
#define FREE_AGAIN ((ncclComm_t)1)

STATE bool nccl_used;
STATE static bool graphs;
static struct known {
	ncclComm_t comm; /* NULL: never used */
	struct mpsan_comm *record; /* NULL: being added */
} known[COMMS] LARGE;

static uint32_t place_of(ncclComm_t comm)
{
	return (uint32_t)((uint64_t)(uintptr_t)comm * 0x9e3779b97f4a7c15ull >> 56);
}
_Static_assert(COMMS == 256, "place_of has 8 bits");

static struct known *find(ncclComm_t comm)
{
	uint32_t at = place_of(comm);

	for (uint32_t i = 0; i < COMMS; i++, at = (at + 1) % COMMS) {
		ncclComm_t there = __atomic_load_n(&known[at].comm, __ATOMIC_ACQUIRE);

		if (there == comm)
			return &known[at];
		if (!there)
			break;
	}
	return NULL;
}

struct mpsan_comm *nccl_find(ncclComm_t comm)
{
	const struct known *at = nccl_used && comm && !hook_off ? find(comm) : NULL;

	return at ? __atomic_load_n(&at->record, __ATOMIC_ACQUIRE) : NULL;
}

static bool add(ncclComm_t comm, struct mpsan_comm *record)
{
	uint32_t at = place_of(comm);

	for (uint32_t i = 0; i < COMMS; i++, at = (at + 1) % COMMS) {
		ncclComm_t there = __atomic_load_n(&known[at].comm, __ATOMIC_ACQUIRE);

		if ((there && there != FREE_AGAIN) ||
		    !__atomic_compare_exchange_n(&known[at].comm, &there, comm, false,
						 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			continue;
		__atomic_store_n(&known[at].record, record, __ATOMIC_RELEASE);
		return true;
	}
	return false;
}

/* ---- calls ---- */

static struct mpsan_thread *recorded_thread(void)
{
	struct mpsan_thread *t;

	if (hook_off || !life.attached)
		return NULL;
	thread_publish();
	t = thread_hot ? thread_hot : thread_attach();
	return t == &thread_none ? NULL : t;
}

/* A frame that a jump has abandoned lies below this one. */
void nccl_begin(struct nccl_call *call)
{
	struct mpsan_thread *t = recorded_thread();
	uint64_t here = (uint64_t)(uintptr_t)call;

	*call = (struct nccl_call){.outermost = !t || t->for_peers_frame <= here};
	if (!t || !call->outermost)
		return;
	call->thread = t;
	t->for_peers_frame = here;
	__atomic_store_n(&t->for_peers, (t->for_peers + 1) | 1, __ATOMIC_RELEASE);
}

void nccl_end(struct nccl_call *call)
{
	struct mpsan_thread *t = call->thread;

	if (!t)
		return;
	t->for_peers_frame = 0;
	__atomic_store_n(&t->for_peers, (t->for_peers | 1) + 1, __ATOMIC_RELEASE);
}

static struct nccl_entry enter_message(struct mpsan_comm *record, struct mpsan_comm_call what)
{
	uint32_t *count;
	uint64_t end;

	/* its size is read from the log: what is counted must lie there, too */
	if (what.root < 0 || (uint32_t)what.root >= record->peers ||
	    !log_owns((uint64_t)(uintptr_t)&record->peer[(uint32_t)what.root + 1], &end))
		return (struct nccl_entry){0};
	count = what.what == MPSAN_COLLECTIVE_SEND ? &record->peer[what.root].sent :
						     &record->peer[what.root].received;
	what.number = *count + 1;
	record->message = what;
	__atomic_store_n(count, *count + 1, __ATOMIC_RELEASE);
	return (struct nccl_entry){record, count};
}

/* A communicator is used by one thread at a time. */
struct nccl_entry nccl_enter(const struct nccl_call *call, ncclComm_t comm,
			     struct mpsan_comm_call what)
{
	struct mpsan_comm *record = call->outermost ? nccl_find(comm) : NULL;

	if (record && UNLIKELY(!call->thread))
		nccl_left(record, MPSAN_COMM_BLIND);
	if (!record || !call->thread)
		return (struct nccl_entry){0};
	what.tid = call->thread->tid;
	if (what.what >= MPSAN_COLLECTIVE_SEND)
		return enter_message(record, what);
	what.number = record->entered + 1;
	__atomic_thread_fence(
		__ATOMIC_RELEASE); /* who sees a change below sees the call before it */
	record->call[what.number % 2] = what;
	record->message.number = 0;
	__atomic_store_n(&record->entered, what.number, __ATOMIC_RELEASE);
	return (struct nccl_entry){record, NULL};
}

void nccl_take_back(const struct nccl_entry *entry)
{
	if (entry->message)
		__atomic_store_n(entry->message, *entry->message - 1, __ATOMIC_RELEASE);
	else if (entry->comm)
		__atomic_store_n(&entry->comm->entered, entry->comm->entered - 1, __ATOMIC_RELEASE);
}

void nccl_lose_count(void)
{
	for (uint32_t i = 0; nccl_used && i < COMMS; i++)
		nccl_left(__atomic_load_n(&known[i].record, __ATOMIC_ACQUIRE), MPSAN_COMM_BLIND);
}

void nccl_launches_graph(void)
{
	struct mpsan_comm *record;

	if (graphs)
		return;
	graphs = true;
	for (uint32_t i = 0; i < COMMS; i++) {
		record = __atomic_load_n(&known[i].record, __ATOMIC_ACQUIRE);
		if (record)
			record->graphs = 1;
	}
}

/* ---- joining and leaving ---- */

struct mpsan_comm *nccl_joins(const struct nccl_call *call, uint64_t id, int rank, int ranks)
{
	uint32_t peers = ranks > 0 && (uint32_t)ranks <= MPSAN_COMM_PEERS ? (uint32_t)ranks : 0;
	struct mpsan_comm *record = NULL;
	uint64_t position;

	if (!call->outermost || rank < 0 || rank >= ranks || !life.attached || hook_off ||
	    life_is_guest())
		return NULL;
	GUARDED {
		record = log_reserve(EV_comm, sizeof(*record) + peers * sizeof(*record->peer),
				     &position);
		if (record) {
			record->id = id;
			record->rank = (uint32_t)rank;
			record->ranks = (uint32_t)ranks;
			record->peers = peers;
			record->graphs = graphs;
			record->state = MPSAN_COMM_JOINS;
			log_commit(record, EV_comm,
				   sizeof(*record) + peers * sizeof(*record->peer));
		}
	}
	return record;
}

void nccl_joined(struct mpsan_comm *record, ncclComm_t comm, ncclResult_t result)
{
	if (!record)
		return;
	if ((result != ncclSuccess && result != ncclInProgress) || !comm) {
		record->state = MPSAN_COMM_FAILED;
		return;
	}
	if (!nccl_used)
		nccl_used = true;
	record->state = add(comm, record) ? MPSAN_COMM_JOINED : MPSAN_COMM_BLIND;
}

struct mpsan_comm *nccl_leaves(ncclComm_t comm)
{
	struct mpsan_comm *record = nccl_find(comm);
	struct known *at = record ? find(comm) : NULL;

	if (!at)
		return NULL;
	__atomic_store_n(&at->record, NULL, __ATOMIC_RELEASE);
	__atomic_store_n(&at->comm, FREE_AGAIN, __ATOMIC_RELEASE);
	return record;
}

void nccl_left(struct mpsan_comm *record, uint64_t state)
{
	if (record && record->state != MPSAN_COMM_BLIND)
		__atomic_store_n(&record->state, state, __ATOMIC_RELEASE);
}

FORKED void nccl_forked(void)
{
	if (!nccl_used)
		return;
	nccl_used = graphs = false;
	for (uint32_t i = 0; i < COMMS; i++)
		known[i] = (struct known){0};
}
