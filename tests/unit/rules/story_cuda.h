/*
 * A world for stories about CUDA: the processes of story_facts.h and two more, and room for the
 * events of memory that they share. A story tells events in the order of time; every event comes a
 * tenth of a second after the one before. Neighbours: cuda_*.c, ipc_*.c.
 */
#ifndef STORY_CUDA_H
#define STORY_CUDA_H

#include "story_facts.h"

#include <signal.h>

#define PROCESSES 4u
#define PRODUCER 0
#define CONSUMER 1
#define OTHER 2
#define BYSTANDER 3
#define ROOM 64u
#define TENTH (SECOND / 10)
#define MIB (1ull << 20)
#define GPU 0x6b1ull
#define NOT_INITIALIZED 3 /* CUDA_ERROR_NOT_INITIALIZED */
#define A 0xa1ull /* handles */
#define B 0xb1ull

static struct mpsan_process slots[PROCESSES];
static struct fact_process processes[PROCESSES];
static struct fact_fork forks[2];
static struct fact_cuda_init inits[ROOM];
static struct fact_cuda_context contexts[ROOM];
static struct fact_cuda_call calls[ROOM];
static struct fact_cuda_env envs[ROOM];
static struct ipc_export exports[ROOM];
static struct ipc_piece pieces[ROOM];
static struct ipc_import imports[ROOM];
static struct ipc_free frees[ROOM];
static struct ipc_refused refuseds[ROOM];
static struct ipc_event events[ROOM];
static struct cuda_party parties[PROCESSES];
static uint32_t lists[3][CUDA_LISTS];
static struct facts facts;
static uint64_t clock_now;

/* Four processes that live; the clock stands at second 10. */
static inline int begin(void **state)
{
	(void)state;
	memset(slots, 0, sizeof(slots));
	memset(processes, 0, sizeof(processes));
	memset(parties, 0, sizeof(parties));
	memset(lists, 0, sizeof(lists));
	clock_now = 10 * SECOND;
	for (uint32_t i = 0; i < PROCESSES; i++) {
		slots[i] = (struct mpsan_process){.pid = 100 * (i + 1),
						  .how = MPSAN_HOW_ROOT,
						  .birth_ns = SECOND,
						  .flags = MPSAN_PROCESS_ATTACHED};
		processes[i].slot = &slots[i];
		processes[i].seen_ns = UINT64_MAX;
	}
	facts = (struct facts){.processes = processes,
			       .process_count = PROCESSES,
			       .forks = forks,
			       .followed = true,
			       .cuda = {.inits = inits,
					.contexts = contexts,
					.calls = calls,
					.envs = envs,
					.exports = exports,
					.pieces = pieces,
					.imports = imports,
					.frees = frees,
					.refuseds = refuseds,
					.events = events,
					.parties = parties,
					.handle_lists = lists[0],
					.base_lists = lists[1],
					.open_lists = lists[2]}};
	return 0;
}

static inline struct fact_place next_place(uint32_t by)
{
	clock_now += TENTH;
	return (struct fact_place){by, by, slots[by].pid, 8192, clock_now};
}

static inline void pass(uint64_t ns)
{
	clock_now += ns;
}

/* The newest of an array, one more than there were; the array has room for it. */
#define NEXT(array, count) (assert_true(facts.cuda.count < ROOM), &(array)[facts.cuda.count++])

static inline void initialise(uint32_t by)
{
	*NEXT(inits, init_count) = (struct fact_cuda_init){.at = next_place(by)};
	cuda_enter_init(&facts.cuda);
}

/* Process `child` is made by a fork of `parent`; index of the fork. */
static inline uint32_t copy(uint32_t parent, uint32_t child)
{
	forks[facts.fork_count] = (struct fact_fork){.at = next_place(parent),
						     .ev = {.how = MPSAN_HOW_FORK, .threads = 1},
						     .child = child,
						     .late = FACT_NONE};
	slots[child].parent = parent + 1;
	slots[child].how = MPSAN_HOW_FORK;
	slots[child].birth_ns = clock_now;
	return facts.fork_count++;
}

static inline uint32_t call(uint32_t by, enum mpsan_cuda_kind kind, uint64_t result)
{
	*NEXT(calls, call_count) = (struct fact_cuda_call){.at = next_place(by),
							   .ev = {.kind = kind, .result = result}};
	return facts.cuda.call_count - 1;
}

/* Memory of `by` gets the handle; its address follows from that. */
static inline uint32_t export_as(uint32_t by, uint64_t handle, uint64_t memory, uint64_t flags)
{
	bool bare = memory == MPSAN_MEMORY_VMM || memory == MPSAN_MEMORY_POOL;

	*NEXT(exports, export_count) = (struct ipc_export){.at = next_place(by),
							   .ev = {.handle = handle,
								  .memory = memory,
								  .base = bare ? 0 : handle << 24,
								  .bytes = 2 * MIB,
								  .gpu = GPU,
								  .flags = flags}};
	cuda_enter_export(&facts.cuda);
	return facts.cuda.export_count - 1;
}

static inline uint32_t lend(uint32_t by, uint64_t handle)
{
	return export_as(by, handle, MPSAN_MEMORY_DEVICE, 0);
}

/* It is mapped where its producer has it, as the address tells no story. */
static inline uint32_t open_as(uint32_t by, uint64_t handle, uint64_t result, struct ev_ipc_open ev)
{
	ev.handle = handle;
	ev.result = result;
	ev.bytes = 2 * MIB;
	ev.address = result ? 0 : handle << 24;
	*NEXT(imports, import_count) = (struct ipc_import){.at = next_place(by), .ev = ev};
	cuda_enter_import(&facts.cuda);
	return facts.cuda.import_count - 1;
}

#define OPEN(by, handle, result, ...) open_as(by, handle, result, (struct ev_ipc_open){__VA_ARGS__})

/* What the registry told of the owner stands for an export. */
#define OPEN_FOUND(by, handle, result)                                         \
	OPEN(by, handle, result, .owner_slot = PRODUCER + 1,                   \
	     .owner_base = (uint64_t)(handle) << 24, .owner_born = 5 * SECOND, \
	     .flags = MPSAN_IPC_AUTO)

static inline void give_back(uint32_t by, uint64_t handle)
{
	struct fact_place at = next_place(by);
	struct ev_ipc_close ev = {.handle = handle, .address = handle << 24};

	cuda_enter_close(&facts.cuda, &at, &ev);
}

static inline uint32_t release(uint32_t by, uint64_t handle)
{
	*NEXT(frees, free_count) = (struct ipc_free){
		.at = next_place(by), .ev = {.handle = handle, .base = handle << 24}};
	cuda_enter_free(&facts.cuda);
	return facts.cuda.free_count - 1;
}

static inline uint32_t refuse(uint32_t by, enum mpsan_ipc_cause cause, enum mpsan_memory memory,
			      uint64_t address, uint32_t other)
{
	*NEXT(refuseds, refused_count) = (struct ipc_refused){.at = next_place(by),
							      .ev = {.cause = cause,
								     .memory = memory,
								     .address = address,
								     .other = other,
								     .result = 1}};
	return facts.cuda.refused_count - 1;
}

static inline uint32_t make_event(uint32_t by, uint64_t made)
{
	*NEXT(events, event_count) = (struct ipc_event){.at = next_place(by), .ev = {.made = made}};
	cuda_enter_event(&facts.cuda);
	return facts.cuda.event_count - 1;
}

static inline void end_process(uint32_t slot, enum mpsan_end end, int32_t value)
{
	clock_now += TENTH;
	slots[slot].end = end;
	slots[slot].end_value = value;
	slots[slot].end_ns = clock_now;
	processes[slot].gone = true;
	processes[slot].gone_ns = processes[slot].seen_ns = clock_now;
}

static inline void leave(uint32_t slot)
{
	end_process(slot, MPSAN_END_EXIT, 0);
}

static inline void kill_it(uint32_t slot, int32_t number)
{
	end_process(slot, MPSAN_END_SIGNAL, number);
}

/* The session is over: who is there counts as gone, with a mark. */
static inline void finish(void)
{
	clock_now += TENTH;
	for (uint32_t i = 0; i < PROCESSES; i++) {
		if (processes[i].gone)
			continue;
		processes[i].gone = processes[i].stayed = true;
		processes[i].gone_ns = clock_now;
	}
}

/* What a rule says of a moment, at the time of the clock. */
static inline enum grade hear(enum trigger_kind kind, uint32_t index, enum rule_id rule)
{
	struct trigger trigger = {kind, index};
	struct verdict verdict = {.sink = {verdict_add}};

	facts.now_ns = clock_now;
	story_run(&facts, &trigger, &verdict.sink);
	return grade_of(&verdict, rule);
}

#define assert_heard(kind, index, rule, grade) \
	assert_int_equal(hear(kind, index, RULE_##rule), grade)

#define STORY(name) cmocka_unit_test_setup(name, begin)

#endif
