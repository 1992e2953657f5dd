/* See census.h. */
#include "census.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

void census_init(struct census *census, const struct reader *reader)
{
	struct rlimit limit = {.rlim_cur = 256};

	*census = (struct census){.reader = reader};
	getrlimit(RLIMIT_NOFILE, &limit);
	census->fds_max = limit.rlim_cur < 256	? 0 :
			  limit.rlim_cur < 4096 ? (uint32_t)limit.rlim_cur / 2 :
						  2048;
}

static void forget(struct census *census, struct census_thread *thread)
{
	if (thread->fd < 0)
		return;
	close(thread->fd);
	thread->fd = -1;
	census->fds--;
}

void census_finish(struct census *census)
{
	for (uint32_t i = 0; i < census->threads.count; i++)
		forget(census, &census->threads.item[i]);
	free(census->threads.item);
	free(census->before.item);
	free(census->processes.item);
	*census = (struct census){0};
}

/* The record of a TID in its process's log: the index is a hash table that the library fills. */
const struct mpsan_thread *census_record(const struct reader *reader, uint32_t slot, uint32_t tid)
{
	const struct logfile *log = reader->logs[slot];
	uint32_t at = mpsan_thread_place(tid), units;
	const uint32_t *index;
	struct record record;

	if (!log)
		return NULL;
	index = (const uint32_t *)(log->map + MPSAN_THREAD_INDEX);
	for (uint32_t i = 0; i < MPSAN_THREADS; i++, at = (at + 1) % MPSAN_THREADS) {
		units = __atomic_load_n(&index[at], __ATOMIC_ACQUIRE);
		if (!units)
			return NULL;
		if (!reader_record(reader, slot, (uint64_t)units * MPSAN_UNIT, EV_thread,
				   &record) ||
		    record.bytes < sizeof(struct mpsan_thread))
			continue;
		if (((const struct mpsan_thread *)record.payload)->tid == tid)
			return record.payload;
	}
	return NULL;
}

static int compare_threads(const void *one, const void *other)
{
	const struct census_thread *a = one, *b = other;

	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->tid < b->tid ? -1 : a->tid > b->tid;
}

/* Takes over what the last look knew of a thread. Both lists are by slot and TID there. */
static struct census_thread *find_before(struct census *census, uint32_t slot, uint32_t tid)
{
	struct census_thread key = {.slot = slot, .tid = tid};

	return census->before.count ? bsearch(&key, census->before.item, census->before.count,
					      sizeof(key), compare_threads) :
				      NULL;
}

static uint64_t later(uint64_t before_ns, uint64_t now_ns)
{
	return now_ns > before_ns ? now_ns - before_ns : 0;
}

/* The count of runs first: what is read after it is true while that count stays. */
static void look_at(struct census *census, struct census_thread *thread)
{
	bool had = thread->fd >= 0, keep = had || census->fds < census->fds_max;
	struct proc_time before = thread->time;
	uint64_t runs = proc_runs(thread->pid, thread->tid, &thread->fd, keep, &thread->time);

	thread->lately = (struct proc_time){later(before.ran_ns, thread->time.ran_ns),
					    later(before.waited_ns, thread->time.waited_ns)};
	if (thread->fd >= 0 && !had)
		census->fds++;
	if (runs && runs == thread->runs && thread->call.state == PROC_IN_CALL) {
		thread->looks++;
		return;
	}
	thread->runs = runs;
	thread->looks = 1;
	thread->told = thread->doubted = thread->idle = false;
	thread->object = (struct census_object){0};
	thread->still_ns = census->now_ns;
	thread->call = proc_call(thread->pid, thread->tid);
}

bool census_has_moved(const struct census_thread *thread)
{
	char state = proc_stat(thread->pid, thread->tid).state;
	struct proc_time time;
	int fd = -1;

	return !state || state == 'R' ||
	       (thread->runs &&
		proc_runs(thread->pid, thread->tid, &fd, false, &time) != thread->runs);
}

struct seeing {
	struct census *census;
	uint32_t slot, pid;
};

static void see_thread(uint32_t tid, void *context)
{
	const struct seeing *seeing = context;
	struct census *census = seeing->census;
	struct census_thread *before = find_before(census, seeing->slot, tid);
	struct census_thread *thread = ARRAY_ADD(&census->threads);

	*thread = (struct census_thread){
		.slot = seeing->slot, .pid = seeing->pid, .tid = tid, .fd = -1};
	if (before) {
		*thread = *before;
		before->fd = -1;
	}
	thread->process = census->processes.count;
	look_at(census, thread);
	thread->record = census_record(census->reader, thread->slot, tid);
	if (thread->call.state == PROC_ENDED) {
		forget(census, thread);
		census->threads.count--;
	}
}

static void see_process(struct census *census, uint32_t slot)
{
	uint32_t pid = census->reader->session.table[slot].pid, begin = census->threads.count;
	struct seeing seeing = {census, slot, pid};

	if (!proc_threads(pid, see_thread, &seeing) || census->threads.count == begin)
		return;
	*ARRAY_ADD(&census->processes) =
		(struct census_process){slot, pid, begin, census->threads.count};
}

/* The last look's threads, sorted, and room for this one's. */
static void turn_page(struct census *census)
{
	__typeof__(census->before) empty = census->before;

	memcpy(&census->before, &census->threads, sizeof(empty));
	memcpy(&census->threads, &empty, sizeof(empty));
	census->threads.count = 0;
	census->processes.count = 0;
	if (census->before.count)
		qsort(census->before.item, census->before.count, sizeof(struct census_thread),
		      compare_threads);
}

void census_take(struct census *census, uint64_t now_ns)
{
	const struct reader *reader = census->reader;

	census->passed_ns = census->now_ns ? now_ns - census->now_ns : 0;
	census->now_ns = now_ns;
	turn_page(census);
	READER_EACH_SLOT(reader, slot) {
		const struct mpsan_process *process = &reader->session.table[slot];

		if (process->pid && !reader->processes[slot].gone &&
		    !session_is_elsewhere(process) && !(process->flags & MPSAN_PROCESS_REPLACED))
			see_process(census, slot);
	}
	for (uint32_t i = 0; i < census->before.count; i++)
		forget(census, &census->before.item[i]);
}

uint32_t census_process(const struct census *census, uint32_t slot)
{
	for (uint32_t i = 0; i < census->processes.count; i++)
		if (census->processes.item[i].slot == slot)
			return i;
	return CENSUS_NONE;
}

uint32_t census_process_of_pid(const struct census *census, uint32_t pid)
{
	for (uint32_t i = 0; i < census->processes.count; i++)
		if (census->processes.item[i].pid == pid)
			return i;
	return CENSUS_NONE;
}

uint32_t census_find(const struct census *census, uint32_t slot, uint32_t tid)
{
	uint32_t at = census_process(census, slot);

	for (uint32_t i = at == CENSUS_NONE ? 0 : census->processes.item[at].begin;
	     at != CENSUS_NONE && i < census->processes.item[at].end; i++)
		if (census->threads.item[i].tid == tid)
			return i;
	return CENSUS_NONE;
}

uint32_t census_find_tid(const struct census *census, uint32_t tid)
{
	for (uint32_t i = 0; i < census->threads.count; i++)
		if (census->threads.item[i].tid == tid)
			return i;
	return CENSUS_NONE;
}

struct mpsan_hold census_wanted(const struct census_thread *thread)
{
	const struct mpsan_thread *record = thread->record;
	uint32_t used = record ? record->holds_used : 0;

	if (!used || used > MPSAN_HOLDS || !(record->hold[used - 1].tag & MPSAN_TAG_WANTED))
		return (struct mpsan_hold){0};
	return record->hold[used - 1];
}

bool census_holds(const struct census_thread *thread, uint64_t lock, struct mpsan_hold *hold)
{
	return census_record_holds(thread->record, lock, hold);
}

bool census_record_holds(const struct mpsan_thread *record, uint64_t lock, struct mpsan_hold *hold)
{
	uint32_t used = record && record->holds_used <= MPSAN_HOLDS ? record->holds_used : 0;

	for (uint32_t i = 0; i < used; i++) {
		*hold = record->hold[i];
		if (MPSAN_TAG_ADDRESS(hold->tag) == lock && !(hold->tag & MPSAN_TAG_WANTED))
			return true;
	}
	return false;
}
