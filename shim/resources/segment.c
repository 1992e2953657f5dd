/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the table of segments: which one a descriptor refers to, its use counts, and its record. */
#include "segment.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <string.h>
#include <sys/mman.h>

#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/callsite_cache.h"
#include "../record/log.h"
#include "../record/modules.h"
#include "../record/stack.h"
#include "../record/state.h"
#include "../workers/proc_events.h"
#include "descriptor.h"
#include "range_table.h"
#include "segment_call.h"

#define PLACES (128u << 10)
#define LINK_BYTES 288u
#define RECEIVED_MAX 256u /* recorded in full: their creators record all */

STATE static struct ranges *table;
STATE uint32_t segment_generation;
STATE uint32_t segment_descriptors;
STATE static uint32_t told; /* kinds of use of inherited segments: a bit for each */
static uint64_t memfd_device;
static uint32_t received;
/* For each descriptor its segment's offset in the table, in words, and its generation. */
static uint32_t place_of[DESCRIPTORS] LARGE;
static uint8_t generation_of[DESCRIPTORS] LARGE;

static uint32_t segment_fold(uint64_t device)
{
	return (uint32_t)(device ^ device >> 32);
}

struct segment *segment_find(uint64_t device, uint64_t inode, struct segment *copy)
{
	struct ranges *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);
	struct segment *place = t ? ranges_find(t, segment_fold(device), inode, copy) : NULL;

	return place && copy->device == device ? place : NULL;
}

static struct segment *place_at(int fd)
{
	uint32_t at = descriptor_known(fd) & DESCRIPTOR_SEGMENT ? place_of[fd] : 0;

	return at ? (struct segment *)(void *)((uint64_t *)(void *)table + at) : NULL;
}

bool segment_of(int fd, struct segment *copy)
{
	const struct segment *place = place_at(fd);

	if (!place)
		return false;
	memcpy(copy, place, sizeof(*copy));
	return copy->range.state & 1 && ranges_same(place, copy);
}

uint64_t segment_device(void)
{
	static uint64_t device;
	struct stat file;

	if (!device && SYS4(SYS_newfstatat, AT_FDCWD, "/dev/shm", &file, 0) == 0)
		device = file.st_dev;
	return device;
}

/* The name under which this process recorded a segment; NULL: not readable. */
static const char *name_of(const struct segment *segment)
{
	const struct mpsan_record *record =
		segment_is_own(segment) && segment->record ? log_at(segment->record) : NULL;
	const struct ev_shm *event = record ? (const void *)(record + 1) : NULL;

	return event ? log_text_at(event->name) : NULL;
}

static bool is_gone(const struct segment *segment)
{
	const char *name = name_of(segment);
	struct stat file;

	return !name || SYS4(SYS_newfstatat, AT_FDCWD, name, &file, 0) == -ENOENT ||
	       file.st_ino != segment->range.start;
}

/*
 * Removes segments that other processes unlinked, which their creator does not notice. Once the
 * table is half full, each new segment checks two old ones: so there is always room, and never a
 * pause to check all.
 */
static void segment_sweep(struct ranges *t)
{
	static uint64_t hand;
	uint64_t at = __atomic_load_n(&hand, __ATOMIC_RELAXED);
	struct segment copy, *place;

	if (LIKELY(__atomic_load_n(&t->used, __ATOMIC_RELAXED) < PLACES / 2))
		return;
	for (unsigned i = 0; i < 2; i++) {
		place = ranges_next(t, &at, &copy);
		if (!place)
			at = 0;
		else if (!copy.descriptors && !copy.mappings && is_gone(&copy))
			ranges_drop(t, place, &copy);
	}
	__atomic_store_n(&hand, at, __ATOMIC_RELAXED);
}

bool segment_all_known(void)
{
	struct ranges *t = __atomic_load_n(&table, __ATOMIC_ACQUIRE);

	return !t || !__atomic_load_n(&t->full, __ATOMIC_RELAXED);
}

/* Adds a segment; NULL: no room. */
static struct segment *segment_add(const struct segment *segment)
{
	const uint32_t head = sizeof(struct range);
	struct ranges *t = range_table(&table, PLACES, sizeof(struct segment));
	struct segment *place;

	if (!t)
		return NULL;
	segment_sweep(t);
	place = ranges_claim(t, segment->range.owner, segment->range.start, 1);
	if (!place)
		return NULL;
	memcpy((char *)place + head, (const char *)segment + head, sizeof(*segment) - head);
	ranges_publish(place);
	return place;
}

static void forget_if_gone(struct segment *place)
{
	struct segment copy;

	memcpy(&copy, place, sizeof(copy));
	if (!copy.descriptors && !copy.mappings &&
	    (copy.flags & SEGMENT_UNLINKED || !(copy.flags & SEGMENT_MADE)))
		ranges_drop(table, place, &copy);
}

/* A descriptor of a segment (`at`: its offset in words) no longer refers to it. */
static void segment_release(uint32_t at)
{
	struct segment *place = (struct segment *)(void *)((uint64_t *)(void *)table + at);

	if (!at)
		return;
	__atomic_fetch_sub(&place->descriptors, 1, __ATOMIC_RELAXED);
	__atomic_fetch_sub(&segment_descriptors, 1, __ATOMIC_RELAXED);
	forget_if_gone(place);
}

/* Makes a descriptor refer to this segment, and no longer to one that libc closed internally. */
static void segment_follow(int fd, struct segment *place)
{
	uint32_t at;

	if (!place || (uint32_t)fd >= DESCRIPTORS)
		return;
	at = (uint32_t)((uint64_t *)(void *)place - (uint64_t *)(void *)table);
	__atomic_fetch_add(&place->descriptors, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&segment_descriptors, 1, __ATOMIC_RELAXED);
	generation_of[fd] = (uint8_t)segment_generation;
	segment_release(__atomic_exchange_n(&place_of[fd], at, __ATOMIC_RELAXED));
	descriptor_mark(fd, DESCRIPTOR_SEGMENT);
}

void segment_mapped(const struct segment *segment, int by)
{
	struct segment copy, *place = segment_find(segment->device, segment->range.start, &copy);

	if (!place)
		return;
	__atomic_fetch_add(&place->mappings, (uint32_t)by, __ATOMIC_RELAXED);
	if (by < 0)
		forget_if_gone(place);
}

/*
 * Whether to record a received segment in full: a log must have room for a hundred thousand, and a
 * receiving loop must stay fast.
 */
static bool in_full(enum mpsan_shm_way way)
{
	return way != MPSAN_SHM_RECEIVED ||
	       __atomic_load_n(&received, __ATOMIC_RELAXED) < RECEIVED_MAX;
}

static NOINLINE uint64_t segment_state(const struct segment_arrival *a, const struct stat *file)
{
	struct where where = in_full(a->way) ? callsite_now(a->caller) : (struct where){0, 0};

	if (a->way == MPSAN_SHM_RECEIVED)
		__atomic_fetch_add(&received, 1, __ATOMIC_RELAXED);

	return EMIT(shm, .name = a->name, .way = a->way,
		    .flags = a->flags | (modules_have_torch() ? MPSAN_SHM_TORCH : 0),
		    .fd = (uint64_t)(int64_t)a->fd, .device = file->st_dev, .inode = file->st_ino,
		    .bytes = (uint64_t)file->st_size, .from = a->from, .caller = a->caller,
		    .stack = where.stack, .python = where.python);
}

void segment_arrived(const struct segment_arrival *a, const struct stat *file)
{
	struct segment copy, *place = segment_find(file->st_dev, file->st_ino, &copy);
	struct segment fresh = {
		.range = {.owner = segment_fold(file->st_dev), .start = file->st_ino, .bytes = 1},
		.device = file->st_dev,
		.generation = segment_generation,
		.flags = (a->flags & MPSAN_SHM_MADE ? SEGMENT_MADE : 0) |
			 (a->flags & MPSAN_SHM_UNNAMED ? SEGMENT_UNLINKED : 0),
	};

	if (place && segment_is_own(&copy) && !(a->flags & MPSAN_SHM_MADE)) {
		segment_follow(a->fd, place);
		return;
	}
	fresh.record = segment_state(a, file);
	if (UNLIKELY(proc_events.unnamed) && a->flags & MPSAN_SHM_MADE && a->way != MPSAN_SHM_MEMFD)
		proc_events_main_again(MPSAN_MAIN_SHARED, a->caller);
	fresh.flags |= modules_have_torch() ? SEGMENT_TORCH : 0;
	if (place) {
		place->record = fresh.record;
		place->flags = fresh.flags;
		place->generation = fresh.generation;
	} else {
		place = segment_add(&fresh);
	}
	segment_follow(a->fd, place);
	segment_check_descriptors(a->caller);
}

/* The file of a descriptor in /proc; `deleted`: its name is gone. */
static bool read_link(int fd, char *name, bool *deleted)
{
	static const char gone[] = " (deleted)";
	char path[40], *end = path + sizeof(path), *at = text_put(path, end, "/proc/self/fd/");
	const uint64_t length = sizeof(gone) - 1;
	long bytes;

	text_put_number(at, end, (uint32_t)fd, 10);
	bytes = SYS4(SYS_readlinkat, AT_FDCWD, path, name, LINK_BYTES - 1);
	if (bytes <= 0)
		return false;
	name[bytes] = '\0';
	*deleted = (uint64_t)bytes > length && text_equal(name + bytes - length, gone);
	if (*deleted)
		name[bytes - (long)length] = '\0';
	return true;
}

static bool is_semaphore(const char *path)
{
	return text_starts(path, "/dev/shm/sem.");
}

/* Whether it is a segment. A file on another device may be a memfd or an arena, by its name. */
static bool is_segment(const struct stat *file, const char *name)
{
	if (file->st_dev == segment_device())
		return !is_semaphore(name);
	if (text_starts(name, "/memfd:")) {
		memfd_device = file->st_dev;
		return true;
	}
	return text_starts(text_tail(name), "pym-");
}

static uint32_t flags_of(int fd, enum mpsan_shm_way way, bool deleted)
{
	long flags = SYS2(SYS_fcntl, fd, F_GETFL);

	return (deleted ? MPSAN_SHM_UNNAMED : 0) | (way == MPSAN_SHM_MEMFD ? MPSAN_SHM_MADE : 0) |
	       (flags > 0 && flags & O_ACCMODE ? MPSAN_SHM_WRITABLE : 0);
}

/*
 * Whether a received file in /dev/shm is a segment of which no name will be recorded: semaphores lie there, too, but
 * are as large as one.
 */
static bool needs_no_name(const struct stat *file, enum mpsan_shm_way way)
{
	return !in_full(way) && file->st_dev == segment_device() && file->st_size != sizeof(sem_t);
}

/* Decides by the name; out of line, because what follows needs the stack that the name takes. */
static NOINLINE bool is_segment_by_name(struct segment_arrival *a, const struct stat *file)
{
	char name[LINK_BYTES] = "";
	bool deleted = false;

	if (!read_link(a->fd, name, &deleted) || !is_segment(file, name))
		return false;
	a->flags = flags_of(a->fd, a->way, deleted);
	a->name = in_full(a->way) ? segment_name(name) : 0;
	return true;
}

bool segment_look(int fd, enum mpsan_shm_way way, uint32_t from, uint64_t caller)
{
	struct segment_arrival arrival = {.fd = fd, .way = way, .from = from, .caller = caller};
	struct segment copy, *known;
	struct stat file;

	if (SYS2(SYS_fstat, fd, &file) < 0 || !S_ISREG(file.st_mode))
		return false;
	if (file.st_dev != segment_device() && file.st_dev != memfd_device && file.st_nlink)
		return false;
	known = segment_find(file.st_dev, file.st_ino, &copy);
	if (known && segment_is_own(&copy)) {
		segment_follow(fd, known);
		return true;
	}
	if (needs_no_name(&file, way))
		arrival.flags = flags_of(fd, way, !file.st_nlink);
	else if (!is_segment_by_name(&arrival, &file))
		return false;
	segment_arrived(&arrival, &file);
	return true;
}

void segment_copied(int from, int to)
{
	struct segment *place = place_at(from);

	if (!place || (uint32_t)to >= DESCRIPTORS || !life_may_change())
		return;
	segment_follow(to, place);
	generation_of[to] = generation_of[from];
}

uint64_t segment_inherited(const struct segment *segment, enum mpsan_shm_use what, uint64_t name,
			   uint64_t caller)
{
	uint32_t bit = 1u << what;

	if (__atomic_fetch_or(&told, bit, __ATOMIC_RELAXED) & bit || life_is_guest())
		return 0;
	return ANNOUNCE(log_key(EV_shm_inherited, what, 0), shm_inherited,
			.device = segment->device, .inode = segment->range.start, .what = what,
			.name = name, .caller = caller, .stack = stack_own(),
			.python = stack_python(0));
}

void segment_not_used(enum mpsan_shm_use what, uint64_t stated)
{
	if (!stated)
		return;
	log_settle(log_key(EV_shm_inherited, what, 0), stated, false);
	__atomic_fetch_and(&told, ~(1u << what), __ATOMIC_RELAXED);
}

void segment_closed(int fd, uint64_t caller)
{
	struct segment copy;

	if (!place_at(fd) || !life_may_change())
		return;
	/*
	 * Children close all descriptors before an exec: that alone is no reason to create a log.
	 */
	if (generation_of[fd] != (uint8_t)segment_generation && !log_is_inherited() &&
	    segment_of(fd, &copy)) {
		GUARDED {
			segment_inherited(&copy, MPSAN_SHM_CLOSED, 0, caller);
		}
	}
	segment_release(__atomic_exchange_n(&place_of[fd], 0, __ATOMIC_RELAXED));
}

uint32_t segment_count(void)
{
	struct segment copy;
	struct stat file;

	for (uint32_t fd = 0; fd <= descriptor_highest; fd++) {
		if (!place_of[fd] ||
		    (segment_of((int)fd, &copy) && SYS2(SYS_fstat, fd, &file) == 0 &&
		     file.st_ino == copy.range.start && file.st_dev == copy.device))
			continue;
		descriptor_unmark((int)fd, DESCRIPTOR_SEGMENT);
		segment_release(__atomic_exchange_n(&place_of[fd], 0, __ATOMIC_RELAXED));
	}
	return segment_descriptors;
}

void segment_later(const struct segment *segment, uint64_t clear, uint64_t set)
{
	struct mpsan_record *r =
		segment->record && segment_is_own(segment) ? log_at(segment->record) : NULL;
	uint64_t old, new;

	if (!r)
		return;
	old = __atomic_load_n(&r->later, __ATOMIC_RELAXED);
	do {
		new = (old & ~clear) | set;
	} while (!__atomic_compare_exchange_n(&r->later, &old, new, false, __ATOMIC_RELEASE,
					      __ATOMIC_RELAXED));
}

FORKED void segment_forked(void)
{
	segment_generation++;
	told = 0;
}
