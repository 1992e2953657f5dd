/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims and finds slots, and grows the table. A look-up starts at a hash of the PID in the newest
 * part.
 */
#include "table.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "../intercept/sys.h"

#define WINDOW 16u /* slots of a part in which a process may be */

bool table_is_full;

static struct {
	char path[256];
	uint64_t device, inode;
	uint64_t start, end;
	uint32_t slots; /* for which address space is mapped */
	uint32_t first, max; /* of the session, at the time of its mapping */
} mapped;

struct mpsan_process *table_of(struct mpsan_session *session)
{
	return (void *)((char *)session + MPSAN_PAGE);
}

bool table_is_sound(const struct mpsan_session *s, uint64_t file_bytes)
{
	return s->slots && table_file_bytes(s->slots) <= file_bytes &&
	       (!s->slots_first || (s->slots_first <= s->slots && s->slots % s->slots_first == 0));
}

void table_mapped(const struct mpsan_session *s, const char *path, uint64_t device, uint64_t inode,
		  uint32_t slots)
{
	mapped.first = s->slots_first ? s->slots_first : s->slots;
	mapped.max = s->slots_first ? s->slots_max : s->slots;
	text_put(mapped.path, mapped.path + sizeof(mapped.path), path);
	mapped.device = device;
	mapped.inode = inode;
	mapped.slots = slots;
	mapped.start = (uint64_t)(uintptr_t)s;
	mapped.end = mapped.start + table_file_bytes(slots);
}

bool table_owns(uint64_t address, uint64_t *end)
{
	*end = mapped.end;
	return address >= mapped.start && address < mapped.end;
}

static uint32_t slots_there(const struct mpsan_session *s)
{
	uint32_t slots = __atomic_load_n(&s->slots, __ATOMIC_ACQUIRE);

	return slots < mapped.slots ? slots : mapped.slots;
}

/*
 * The slots of a process in one part of the table. They start at a hash of its PID and namespace,
 * so that a look-up ends at the first free slot: no process that found one there went further, and
 * slots are never freed. There is no part after the last one, so all of it is searched.
 */
struct window {
	uint32_t first, slots; /* of the part */
	uint32_t at, left;
};

static struct window window_at(uint32_t first, uint32_t slots, uint32_t pid, uint64_t pid_ns)
{
	uint32_t mixed = (pid ^ (uint32_t)pid_ns * 40503u) * 2654435761u;
	bool last = 2 * ((uint64_t)first + slots) > mapped.max;

	return (struct window){first, slots, (uint32_t)((uint64_t)mixed * slots >> 32),
			       last || slots < WINDOW ? slots : WINDOW};
}

static void step(struct window *w)
{
	w->at = w->at + 1 < w->slots ? w->at + 1 : 0;
	w->left--;
}

/*
 * Allocates blocks first, then raises the number, so that every counted slot can be written.
 * Several processes may do so at once: existing data stays as it is.
 */
static bool grow(struct mpsan_session *s, uint32_t from)
{
	uint32_t to = from * 2, slots = from;
	struct stat st;
	bool grown = false;
	long fd;

	if (to > mapped.max || to > mapped.slots || !sys_size_allowed(table_file_bytes(to)))
		return false;
	fd = SYS4(SYS_openat, AT_FDCWD, mapped.path,
		  O_RDWR | O_CLOEXEC | O_NOFOLLOW | sys_growing(), 0);
	if (fd < 0)
		return false;
	if (SYS2(SYS_fstat, fd, &st) == 0 && st.st_dev == mapped.device &&
	    st.st_ino == mapped.inode)
		grown = sys_allocate(fd, table_file_bytes(from),
				     table_file_bytes(to) - table_file_bytes(from)) == 0;
	SYS1(SYS_close, fd);
	if (grown)
		__atomic_compare_exchange_n(&s->slots, &slots, to, false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED);
	return grown;
}

/* Moves on to the next part; false: there is none, and none could be added. */
static bool next_window(struct mpsan_session *s, struct window *w, uint32_t pid, uint64_t pid_ns,
			bool make)
{
	uint32_t first = w->first + w->slots;

	if (slots_there(s) < 2 * (uint64_t)first && (!make || !grow(s, first)))
		return false;
	*w = window_at(first, first, pid, pid_ns);
	return true;
}

/*
 * Whether a slot belongs to that process. A namespace of 0 means that its owner is just filling in
 * the slot.
 */
static bool is_of(const struct mpsan_process *p, uint32_t pid, uint64_t pid_ns)
{
	uint64_t its = __atomic_load_n(&p->pid_ns, __ATOMIC_ACQUIRE);

	return p->pid == pid && (!its || its == pid_ns);
}

/* Whether it also has that birth time; 0 as above. */
static bool is_same(const struct mpsan_process *p, uint64_t since_ns, uint16_t unless)
{
	bool recent = !p->birth_ns || (since_ns && p->birth_ns >= since_ns);

	return !(p->flags & unless) && (recent || (!since_ns && !p->end_ns));
}

static bool table_take(struct mpsan_session *s, struct mpsan_process *p, uint32_t pid,
		       uint64_t pid_ns)
{
	uint32_t expected = 0;

	if (__atomic_load_n(&p->pid, __ATOMIC_RELAXED) ||
	    !__atomic_compare_exchange_n(&p->pid, &expected, pid, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		return false;
	__atomic_store_n(&p->pid_ns, pid_ns, __ATOMIC_RELEASE);
	__atomic_fetch_add(&s->claimed, 1, __ATOMIC_RELEASE);
	return true;
}

uint32_t table_claim(struct mpsan_session *s, uint32_t pid, uint64_t pid_ns, uint64_t since_ns,
		     uint16_t unless)
{
	struct window w = window_at(0, mapped.first, pid, pid_ns);

	do {
		for (; w.left; step(&w)) {
			struct mpsan_process *p = table_of(s) + w.first + w.at;

			if (table_take(s, p, pid, pid_ns) ||
			    (is_of(p, pid, pid_ns) && is_same(p, since_ns, unless)))
				return w.first + w.at;
		}
	} while (next_window(s, &w, pid, pid_ns, true));
	table_is_full = !__atomic_fetch_add(&s->unrecorded, 1, __ATOMIC_RELAXED);
	return TABLE_NO_SLOT;
}

/* The newest slot with this PID, among those that have not ended, or among all. */
static uint32_t find_newest(struct mpsan_session *s, uint32_t pid, uint64_t pid_ns, bool ended_too)
{
	struct mpsan_process *table = table_of(s);
	struct window w = window_at(0, mapped.first, pid, pid_ns);
	uint32_t found = TABLE_NO_SLOT;

	do {
		for (; w.left; step(&w)) {
			uint32_t at = w.first + w.at;

			if (!table[at].pid)
				return found;
			if (is_of(&table[at], pid, pid_ns) && (ended_too || !table[at].end_ns) &&
			    (found == TABLE_NO_SLOT || table[at].birth_ns >= table[found].birth_ns))
				found = at;
		}
	} while (next_window(s, &w, pid, pid_ns, false));
	return found;
}

uint32_t table_find(struct mpsan_session *s, uint32_t pid, uint64_t pid_ns)
{
	return find_newest(s, pid, pid_ns, false);
}

uint32_t table_find_last(struct mpsan_session *s, uint32_t pid, uint64_t pid_ns)
{
	return find_newest(s, pid, pid_ns, true);
}
