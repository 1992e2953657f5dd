/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims and finds slots, and grows the table. Slots are used in order, so that processes of one time share pages, and
 * those of one PID are found by lists that begin in the head of the session: neither gets slower with their number.
 */
#include "table.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "../intercept/sys.h"

bool table_is_full;

static struct {
	char path[256];
	uint64_t device, inode;
	uint64_t start, end;
	uint32_t slots; /* for which address space is mapped */
	uint32_t max; /* of the session, at the time of its mapping */
} mapped;

struct mpsan_process *table_of(struct mpsan_session *session)
{
	return (void *)((char *)session + MPSAN_PAGE);
}

bool table_is_sound(const struct mpsan_session *s, uint64_t file_bytes)
{
	return s->slots && table_file_bytes(s->slots) <= file_bytes && s->slots <= s->slots_max &&
	       s->slots_max <= MPSAN_SLOTS_MAX;
}

void table_mapped(const struct mpsan_session *s, const char *path, uint64_t device, uint64_t inode,
		  uint32_t slots)
{
	mapped.max = s->slots_max;
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

static inline uint32_t slots_there(const struct mpsan_session *s)
{
	uint32_t slots = __atomic_load_n(&s->slots, __ATOMIC_ACQUIRE);

	return slots < mapped.slots ? slots : mapped.slots;
}

uint32_t table_there(const struct mpsan_session *session)
{
	return slots_there(session);
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

	if (to <= from || to > mapped.max || to > mapped.slots ||
	    !sys_size_allowed(table_file_bytes(to)))
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

void table_count_unrecorded(struct mpsan_session *s)
{
	table_is_full = !__atomic_fetch_add(&s->unrecorded, 1, __ATOMIC_RELAXED);
}

uint32_t table_reserve(struct mpsan_session *s)
{
	uint64_t slot = __atomic_load_n(&s->claimed, __ATOMIC_RELAXED);
	uint32_t there;

	do {
		there = slots_there(s);
		if (slot == there / 2)
			grow(s, there); /* ahead of need: others may not be able to */
		while (slot >= (there = slots_there(s)))
			if (!grow(s, there))
				return TABLE_NO_SLOT;
	} while (!__atomic_compare_exchange_n(&s->claimed, &slot, slot + 1, false, __ATOMIC_ACQ_REL,
					      __ATOMIC_RELAXED));
	return (uint32_t)slot;
}

/*
 * A page that is read first, and then written, costs two faults, and the first one maps its neighbours, too. So the
 * first access is a write, though nothing is written.
 */
#define READ_TO_WRITE(word) __atomic_fetch_add(word, 0, __ATOMIC_ACQUIRE)

void table_touch(struct mpsan_session *s)
{
	READ_TO_WRITE(&s->newest[0]);
}

void table_enter(struct mpsan_session *s, uint32_t slot)
{
	struct mpsan_process *p = table_of(s) + slot;
	uint16_t *list = &s->newest[mpsan_list_of(p->pid, p->pid_ns)];
	uint16_t newest = READ_TO_WRITE(list);

	do
		p->earlier = newest;
	while (!__atomic_compare_exchange_n(list, &newest, (uint16_t)(slot + 1), false,
					    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

/* A file that somebody damaged may have a list without an end. */
#define EACH_IN_LIST(s, at, first, end)                          \
	for (uint32_t at = (first), left_ = slots_there(s);      \
	     at != (end) && at && at <= slots_there(s) && left_; \
	     at = table_of(s)[at - 1].earlier, left_--)

static bool is_of(const struct mpsan_process *p, uint32_t pid, uint64_t pid_ns)
{
	return p->pid == pid && p->pid_ns == pid_ns;
}

/* Whether it also has that birth time; 0: that is not yet known. */
static bool is_same(const struct mpsan_process *p, uint64_t since_ns, uint16_t unless)
{
	bool recent = !p->birth_ns || (since_ns && p->birth_ns >= since_ns);

	return !(p->flags & unless) && (recent || (!since_ns && !p->end_ns));
}

/* Among those of a list from `newest` to before `end`. */
static uint32_t find_same(struct mpsan_session *s, uint32_t newest, uint32_t end, uint32_t pid,
			  uint64_t pid_ns, uint64_t since_ns, uint16_t unless)
{
	uint32_t found = TABLE_NO_SLOT;

	EACH_IN_LIST(s, at, newest, end) {
		const struct mpsan_process *p = table_of(s) + at - 1;

		if (!is_of(p, pid, pid_ns) || !is_same(p, since_ns, unless))
			continue;
		found = at - 1;
		if (!since_ns)
			break;
	}
	return found;
}

/* A slot that another one of the same process has overtaken is given up. */
uint32_t table_claim(struct mpsan_session *s, uint32_t pid, uint64_t pid_ns, uint64_t since_ns,
		     uint16_t unless)
{
	uint16_t *list = &s->newest[mpsan_list_of(pid, pid_ns)], searched = 0;
	uint16_t newest = __atomic_load_n(list, __ATOMIC_ACQUIRE);
	uint32_t slot = TABLE_NO_SLOT, other;
	struct mpsan_process *p = NULL;

	do {
		other = find_same(s, newest, searched, pid, pid_ns, since_ns, unless);
		if (other != TABLE_NO_SLOT) {
			if (p)
				p->pid = 0;
			return other;
		}
		if (!p) {
			slot = table_reserve(s);
			if (slot == TABLE_NO_SLOT) {
				table_count_unrecorded(s);
				return slot;
			}
			p = table_of(s) + slot;
			p->pid_ns = pid_ns;
			__atomic_store_n(&p->pid, pid, __ATOMIC_RELEASE);
		}
		p->earlier = searched = newest;
	} while (!__atomic_compare_exchange_n(list, &newest, (uint16_t)(slot + 1), false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	return slot;
}

/* The newest slot with this PID, among those that have not ended, or among all. */
static uint32_t find_newest(struct mpsan_session *s, uint32_t pid, uint64_t pid_ns, bool ended_too)
{
	uint32_t newest = READ_TO_WRITE(&s->newest[mpsan_list_of(pid, pid_ns)]);

	if (newest && newest <= slots_there(s))
		READ_TO_WRITE(&table_of(s)[newest - 1].earlier);
	EACH_IN_LIST(s, at, newest, 0) {
		struct mpsan_process *p = table_of(s) + at - 1;

		if (is_of(p, pid, pid_ns) && (ended_too || !p->end_ns))
			return at - 1;
	}
	return TABLE_NO_SLOT;
}

uint32_t table_find(struct mpsan_session *s, uint32_t pid, uint64_t pid_ns)
{
	return find_newest(s, pid, pid_ns, false);
}

uint32_t table_find_last(struct mpsan_session *s, uint32_t pid, uint64_t pid_ns)
{
	return find_newest(s, pid, pid_ns, true);
}
