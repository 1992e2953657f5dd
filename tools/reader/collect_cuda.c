/* SPDX-License-Identifier: Apache-2.0 */
/* Collects facts about CUDA, in time order over all logs. */
#include "collect_cuda.h"

#include <stdlib.h>
#include <string.h>

#include "unwatched.h"

#define SETTLE_NS 300000000ull /* by then all logs have been read, and silent ends noticed */

struct cuda_store {
	struct cuda_facts facts; /* its arrays point to those below once published */
	ARRAY(struct record) waiting; /* not entered yet */
	ARRAY(struct fact_cuda_init) inits;
	ARRAY(struct fact_cuda_context) contexts;
	ARRAY(struct fact_cuda_call) calls;
	ARRAY(struct fact_cuda_env) envs;
	ARRAY(struct ipc_export) exports;
	ARRAY(struct ipc_piece) pieces;
	ARRAY(struct ipc_import) imports;
	ARRAY(struct ipc_free) frees;
	ARRAY(struct ipc_refused) refuseds;
	ARRAY(struct ipc_event) events;
	bool *awaited; /* by slot: its end triggers rules */
	bool *shares; /* by slot: it has made, opened or freed shared memory */
	bool over_awaited;
};

struct cuda_store *cuda_store_create(void)
{
	return memory_get(sizeof(struct cuda_store));
}

void cuda_store_destroy(struct cuda_store *store)
{
	if (!store)
		return;
	free(store->waiting.item);
	free(store->inits.item);
	free(store->contexts.item);
	free(store->calls.item);
	free(store->envs.item);
	free(store->exports.item);
	free(store->pieces.item);
	free(store->imports.item);
	free(store->frees.item);
	free(store->refuseds.item);
	free(store->events.item);
	free(store->facts.parties);
	free(store->facts.handle_lists);
	free(store->facts.base_lists);
	free(store->facts.open_lists);
	free(store->awaited);
	free(store->shares);
	free(store);
}

/* Most sessions do not use CUDA: the tables are created with the first fact. */
static struct cuda_facts *collect_cuda_begin(struct reader *reader)
{
	struct cuda_facts *facts = &reader->cuda->facts;

	if (facts->parties)
		return facts;
	facts->parties = memory_get(reader->session.slots * sizeof(*facts->parties));
	facts->handle_lists = memory_get(CUDA_LISTS * sizeof(uint32_t));
	facts->base_lists = memory_get(CUDA_LISTS * sizeof(uint32_t));
	facts->open_lists = memory_get(CUDA_LISTS * sizeof(uint32_t));
	reader->cuda->awaited = memory_get(reader->session.slots * sizeof(bool));
	reader->cuda->shares = memory_get(reader->session.slots * sizeof(bool));
	return facts;
}

static void await_over(struct reader *reader, uint32_t slot)
{
	if (!reader->cuda->over_awaited)
		reader_await(reader, TRIGGER_SHARING_OVER, slot);
	reader->cuda->over_awaited = true;
}

static void await_end(struct reader *reader, uint32_t slot)
{
	struct cuda_store *store = reader->cuda;

	if (!store->awaited[slot])
		reader_await(reader, TRIGGER_SHARER_GONE, slot);
	store->awaited[slot] = true;
	await_over(reader, slot);
}

/* Appends the fact of a record to its array. */
#define TAKE(array, record)                                               \
	({                                                                \
		__typeof__(&(array)->item[0]) fact_ = ARRAY_ADD(array);   \
		memset(fact_, 0, sizeof(*fact_));                         \
		fact_->at = reader_place(record);                         \
		memcpy(&fact_->ev, (record)->payload, sizeof(fact_->ev)); \
		fact_;                                                    \
	})

static void lend_arrays(struct cuda_store *store)
{
	struct cuda_facts *facts = &store->facts;

#define LEND(array, number)               \
	facts->array = store->array.item; \
	facts->number = store->array.count
	LEND(inits, init_count);
	LEND(contexts, context_count);
	LEND(calls, call_count);
	LEND(envs, env_count);
	LEND(exports, export_count);
	LEND(pieces, piece_count);
	LEND(imports, import_count);
	LEND(frees, free_count);
	LEND(refuseds, refused_count);
	LEND(events, event_count);
#undef LEND
}

/* An export or import may begin a piece; facts/ does not allocate. */
static void enter_with_room(struct cuda_store *store, void (*enter)(struct cuda_facts *))
{
	ARRAY_ADD(&store->pieces);
	store->pieces.count--;
	lend_arrays(store);
	enter(&store->facts);
	store->pieces.count = store->facts.piece_count;
}

static void take_export(struct reader *reader, const struct record *record)
{
	struct cuda_store *store = reader->cuda;

	TAKE(&store->exports, record);
	enter_with_room(store, cuda_enter_export);
	await_end(reader, record->by);
	reader_await(reader, TRIGGER_EXPORT, store->exports.count - 1);
}

static void take_import(struct reader *reader, const struct record *record)
{
	struct cuda_store *store = reader->cuda;
	struct ipc_import *import = TAKE(&store->imports, record);

	if (import->ev.owner_slot > reader->session.slots)
		import->ev.owner_slot = 0;
	if (import->ev.owner_slot)
		await_end(reader, (uint32_t)import->ev.owner_slot - 1);
	enter_with_room(store, cuda_enter_import);
	await_end(reader, record->by);
	reader_await(reader, TRIGGER_IPC_OPEN, store->imports.count - 1);
}

static void take_close(struct reader *reader, const struct record *record)
{
	struct fact_place at = reader_place(record);

	lend_arrays(reader->cuda);
	cuda_enter_close(&reader->cuda->facts, &at, record->payload);
}

static void take_free(struct reader *reader, const struct record *record)
{
	struct cuda_store *store = reader->cuda;

	TAKE(&store->frees, record);
	lend_arrays(store);
	cuda_enter_free(&store->facts);
	reader_await(reader, TRIGGER_FREE, store->frees.count - 1);
}

static void take_event(struct reader *reader, const struct record *record)
{
	struct cuda_store *store = reader->cuda;

	TAKE(&store->events, record);
	lend_arrays(store);
	cuda_enter_event(&store->facts);
	reader_await(reader, TRIGGER_IPC_EVENT, store->events.count - 1);
}

static void take_refused(struct reader *reader, const struct record *record)
{
	TAKE(&reader->cuda->refuseds, record);
	lend_arrays(reader->cuda);
	reader_await(reader, TRIGGER_REFUSED, reader->cuda->refuseds.count - 1);
}

/* By its innermost Python frame. */
static bool asks_for_devices(const char *frames)
{
	static const char *const ask[] = {"is_available\t", "device_count\t"};
	const char *file = frames ? strchr(frames, '\t') : NULL,
		   *end = file ? strchr(file, '\n') : NULL;
	const char *torch = end ? strstr(file, "torch/cuda/__init__.py\t") : NULL;

	return torch && torch < end &&
	       (!strncmp(frames, ask[0], strlen(ask[0])) ||
		!strncmp(frames, ask[1], strlen(ask[1])));
}

static void take_init(struct reader *reader, const struct record *record)
{
	struct fact_cuda_init *init = TAKE(&reader->cuda->inits, record);

	init->asks = init->ev.python &&
		     asks_for_devices(reader_text(reader, init->at.slot, init->ev.python));
	lend_arrays(reader->cuda);
	cuda_enter_init(&reader->cuda->facts);
}

static bool is_same_value(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

/* Whether it is the value that the driver had read: launchers restore it. */
static bool is_restored(struct reader *reader, const struct record *record, const char *value)
{
	const struct cuda_store *store = reader->cuda;
	uint32_t init = store->facts.parties[record->by].init;
	uint64_t since_ns = init ? store->inits.item[init - 1].at.time_ns : 0;

	for (uint32_t i = 0; i < store->envs.count; i++) {
		const struct fact_cuda_env *env = &store->envs.item[i];

		if (env->at.by == record->by && env->at.time_ns >= since_ns)
			return is_same_value(reader_text(reader, env->at.slot, env->ev.before),
					     value);
	}
	return false;
}

/* Setting the same value again is no change. */
static void take_env(struct reader *reader, const struct record *record)
{
	const struct ev_cuda_env *ev = record->payload;
	const char *before = reader_text(reader, record->slot, ev->before);
	const char *after = reader_text(reader, record->slot, ev->after);

	if (is_same_value(before, after) || is_restored(reader, record, after))
		return;
	TAKE(&reader->cuda->envs, record);
	reader_await(reader, TRIGGER_CUDA_ENV, reader->cuda->envs.count - 1);
}

#define TAKES(event) (record->type == EV_##event && record->bytes >= sizeof(struct ev_##event))

static bool is_of_memory(const struct record *record)
{
	return TAKES(ipc_export) || TAKES(ipc_open) || TAKES(ipc_close) || TAKES(ipc_free) ||
	       TAKES(ipc_event) || TAKES(ipc_refused);
}

/* Announced, then retracted: its call failed. */
static bool has_failed(const struct record *record)
{
	const struct mpsan_record *head = (const struct mpsan_record *)record->payload - 1;

	return __atomic_load_n(&head->later, __ATOMIC_ACQUIRE) & MPSAN_LATER_FAILED;
}

static void take_of_memory(struct reader *reader, const struct record *record)
{
	if (has_failed(record))
		return;
	if (TAKES(ipc_export))
		take_export(reader, record);
	else if (TAKES(ipc_open))
		take_import(reader, record);
	else if (TAKES(ipc_close))
		take_close(reader, record);
	else if (TAKES(ipc_free))
		take_free(reader, record);
	else if (TAKES(ipc_refused))
		take_refused(reader, record);
	else
		take_event(reader, record);
}

bool collect_cuda(struct reader *reader, const struct record *record)
{
	struct cuda_store *store = reader->cuda;

	if (record->type < EV_cuda_init || record->type > EV_ipc_event)
		return false;
	collect_cuda_begin(reader);
	if (is_of_memory(record)) {
		store->shares[record->by] = true;
		/* What is over comes in the order of time. */
		if (reader->over && !store->waiting.count)
			take_of_memory(reader, record);
		else
			*ARRAY_ADD(&store->waiting) = *record;
	} else if (TAKES(cuda_init)) {
		take_init(reader, record);
	} else if (TAKES(cuda_context)) {
		TAKE(&store->contexts, record);
		await_over(reader, record->by);
	} else if (TAKES(cuda_call)) {
		TAKE(&store->calls, record);
		reader_await(reader, TRIGGER_CUDA_CALL, store->calls.count - 1);
	} else if (TAKES(cuda_env)) {
		take_env(reader, record);
	}
	return true;
}
#undef TAKES

bool cuda_shares(const struct reader *reader, uint32_t slot)
{
	return reader->cuda->shares && reader->cuda->shares[slot];
}

void collect_cuda_due(struct reader *reader, uint64_t now)
{
	struct cuda_store *store = reader->cuda;
	uint32_t next = 0;

	if (!store->waiting.count)
		return;
	qsort(store->waiting.item, store->waiting.count, sizeof(struct record), record_compare);
	while (next < store->waiting.count &&
	       (reader->over || store->waiting.item[next].time_ns + SETTLE_NS <= now))
		take_of_memory(reader, &store->waiting.item[next++]);
	store->waiting.count -= next;
	memmove(store->waiting.item, store->waiting.item + next,
		store->waiting.count * sizeof(struct record));
}

/* Whether a process of the session was not watched. */
static bool is_blind(const struct reader *reader)
{
	if (reader->session.head->unrecorded)
		return true;
	READER_EACH_SLOT(reader, slot) {
		char *why = process_unwatched(reader, slot);

		free(why);
		if (why || reader->processes[slot].lossy)
			return true;
	}
	return false;
}

void cuda_publish(struct reader *reader, struct facts *facts)
{
	lend_arrays(reader->cuda);
	facts->cuda = reader->cuda->facts;
	facts->followed = reader->session.head->supervisor != 0;
	facts->outside = reader->session.head->outside != 0;
	facts->blind = facts->cuda.parties && is_blind(reader);
}

bool cuda_trigger_place(const struct reader *reader, const struct trigger *trigger,
			struct fact_place *place)
{
	const struct cuda_store *store = reader->cuda;

	switch (trigger->kind) {
	case TRIGGER_CUDA_CALL:
		*place = store->calls.item[trigger->index].at;
		return true;
	case TRIGGER_CUDA_ENV:
		*place = store->envs.item[trigger->index].at;
		return true;
	case TRIGGER_EXPORT:
		*place = store->exports.item[trigger->index].at;
		return true;
	case TRIGGER_IPC_OPEN:
		*place = store->imports.item[trigger->index].at;
		return true;
	case TRIGGER_FREE:
		*place = store->frees.item[trigger->index].at;
		return true;
	case TRIGGER_REFUSED:
		*place = store->refuseds.item[trigger->index].at;
		return true;
	case TRIGGER_IPC_EVENT:
		*place = store->events.item[trigger->index].at;
		return true;
	case TRIGGER_SHARER_GONE:
	case TRIGGER_SHARING_OVER:
		*place = (struct fact_place){.slot = trigger->index, .by = trigger->index};
		return true;
	default:
		return false;
	}
}

/* Decided when a program was started with it, or when none can be started any more. */
static enum timing env_timing(struct reader *reader, const struct fact_cuda_env *env, uint64_t now,
			      uint64_t *due_ns)
{
	const struct fact_process *process = &reader->processes[env->at.by];
	uint64_t launch = cuda_launch_ns(&reader->facts, env->at.by, env->at.time_ns);

	*due_ns = env->at.time_ns + CUDA_LAUNCH_NS;
	if (launch && launch < *due_ns)
		*due_ns = launch;
	else if (process->gone && process->gone_ns < *due_ns)
		*due_ns = process->gone_ns;
	if (reader->over && now < *due_ns)
		*due_ns = now;
	return now >= *due_ns ? TIMING_COME : TIMING_OPEN;
}

static enum timing gone_timing(const struct reader *reader, uint32_t slot, uint64_t now,
			       uint64_t *due_ns)
{
	uint64_t end = cuda_end_ns(&reader->facts, slot);

	*due_ns = end && end + CUDA_GRACE_NS < now ? end + CUDA_GRACE_NS : now;
	if (reader->over)
		return TIMING_COME;
	return end && end + CUDA_GRACE_NS + SETTLE_NS <= now ? TIMING_COME : TIMING_OPEN;
}

enum timing cuda_trigger_timing(struct reader *reader, const struct trigger *trigger, uint64_t now,
				uint64_t *due_ns)
{
	struct fact_place at;

	if (!cuda_trigger_place(reader, trigger, &at))
		return TIMING_NEVER;
	*due_ns = at.time_ns;
	switch (trigger->kind) {
	case TRIGGER_CUDA_ENV:
		return env_timing(reader, &reader->cuda->envs.item[trigger->index], now, due_ns);
	case TRIGGER_SHARER_GONE:
		return gone_timing(reader, trigger->index, now, due_ns);
	case TRIGGER_SHARING_OVER:
		*due_ns = now;
		return reader->over ? TIMING_COME : TIMING_OPEN;
	default:
		return TIMING_COME;
	}
}

bool cuda_is_open(const struct reader *reader)
{
	const struct facts *facts = &reader->facts;

	for (uint32_t i = 0; i < reader->open.count; i++) {
		uint32_t slot = reader->open.item[i].index;
		uint64_t end;

		if (reader->open.item[i].kind != TRIGGER_SHARER_GONE)
			continue;
		end = cuda_end_ns(facts, slot);
		if (!end || end + CUDA_GRACE_NS < reader->now_ns)
			continue;
		EACH_PIECE(facts, slot, at)
			if (!facts->cuda.pieces[at - 1].end_ns &&
			    ipc_user(facts, &facts->cuda.pieces[at - 1], reader->now_ns))
				return true;
	}
	return false;
}
