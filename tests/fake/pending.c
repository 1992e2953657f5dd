/*
 * Work that does not end by itself: a library above the driver queues it with a function that says whether it is done. It gets
 * at this through cuGetExportTable, as the real runtime gets at what has no name. Streams and events wait for it, in a sleep or,
 * with MPSAN_FAKE_SPIN, on a processor, as the real driver does.
 */
#include "pending.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORKS 1024u
#define NAP_NS 1000000

struct work {
	CUstream stream;
	fake_done *done; /* NULL: it is done when those of another stream are */
	void *data;
	CUstream other;
	uint64_t number, until;
};

static struct work works[WORKS];
static uint32_t count;
static uint64_t newest;

/* The default streams wait for all others. */
static bool is_of(const struct work *work, CUstream stream)
{
	return (uintptr_t)stream <= 2 || work->stream == stream;
}

static bool is_there(CUstream stream, uint64_t until, uint32_t among)
{
	for (uint32_t i = 0; i < among; i++)
		if (works[i].number <= until && is_of(&works[i], stream))
			return true;
	return false;
}

/* In the order of each stream. */
static void sweep(void)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct work work = works[i];
		bool first = !is_there(work.stream, UINT64_MAX, left);

		if (!first ||
		    !(work.done ? work.done(work.data) : !is_there(work.other, work.until, left)))
			works[left++] = work;
	}
	count = left;
}

bool pending_is_done(CUstream stream, uint64_t until)
{
	bool done;

	fake_lock();
	sweep();
	done = !is_there(stream, until, count);
	fake_unlock();
	return done;
}

void pending_wait(CUstream stream, uint64_t until)
{
	const struct timespec nap = {0, NAP_NS};
	const char *spin = getenv("MPSAN_FAKE_SPIN");

	while (!pending_is_done(stream, until)) {
		if (spin && *spin == '1')
			sched_yield();
		else
			nanosleep(&nap, NULL);
	}
}

uint64_t pending_newest(void)
{
	return newest;
}

static CUresult add(struct work work)
{
	CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

	fake_lock();
	sweep();
	if (count < WORKS) {
		work.number = ++newest;
		works[count++] = work;
		result = CUDA_SUCCESS;
	}
	fake_unlock();
	return result;
}

CUresult pending_after(CUstream stream, CUstream other, uint64_t until)
{
	return add((struct work){.stream = stream, .other = other, .until = until});
}

static int queue(CUstream stream, fake_done *done, void *data)
{
	return (int)add((struct work){.stream = stream, .done = done, .data = data});
}

static const struct fake_table table = {queue};
static const CUuuid table_id = {FAKE_TABLE_ID};

CALL(cuGetExportTable, (const void **to, const CUuuid *id), (to, id))
{
	if (!to || !id || memcmp(id, &table_id, sizeof(*id)))
		return driver_unsupported();
	*to = &table;
	return CUDA_SUCCESS;
}
