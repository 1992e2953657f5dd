/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates and maps the session's file `exports`, looks up entries in it, and removes those of dead
 * processes.
 */
#include "export_table.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "../common/hash.h"
#include "../intercept/hook.h"
#include "../intercept/sys.h"
#include "../record/identity.h"
#include "../record/log.h"
#include "../record/state.h"
#include "../record/table.h"
#include "../resources/fault.h"
#include "registry.h"

#define PLACES_FEW 4096u /* for exports by the program itself */
#define PLACES_MANY (1u << 17) /* 100 000 live exports */

_Static_assert(offsetof(struct mpsan_export_place, owner) == offsetof(struct range, owner) &&
		       offsetof(struct mpsan_export_place, start) ==
			       offsetof(struct range, start) &&
		       offsetof(struct mpsan_export_place, memory) == sizeof(struct range),
	       "a place begins as a range");

static struct mpsan_exports *mapped;
static uint64_t mapped_bytes;

static struct ranges *ranges_of(struct mpsan_exports *head)
{
	return (struct ranges *)(void *)((char *)head + MPSAN_PAGE);
}

static uint64_t file_bytes(uint64_t places)
{
	return MPSAN_PAGE + ranges_bytes(places, sizeof(struct mpsan_export_place));
}

/* Writes the file's path: "exports", or that with a number. */
static void make_path(char *path, char *end, uint64_t number)
{
	char *at = text_put(path, end, log_directory());

	at = text_put(at, end, "/exports");
	if (number) {
		at = text_put(at, end, ".");
		text_put_number(at, end, number, 10);
	}
}

static bool table_is_ours(const struct mpsan_exports *head, uint64_t bytes)
{
	return __atomic_load_n(&head->magic, __ATOMIC_ACQUIRE) == MPSAN_EXPORTS_MAGIC &&
	       head->format == MPSAN_FORMAT &&
	       head->place_bytes == sizeof(struct mpsan_export_place) &&
	       head->places >= RANGES_BUCKET && !(head->places & (head->places - 1)) &&
	       head->places <= PLACES_MANY && file_bytes(head->places) <= bytes;
}

static struct mpsan_exports *map_existing(void)
{
	char path[288];
	struct stat st;
	long fd, map = -ENOENT;

	make_path(path, path + sizeof(path), 0);
	fd = SYS4(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
	if (fd < 0)
		return NULL;
	if (SYS4(SYS_newfstatat, fd, "", &st, AT_EMPTY_PATH) == 0 && st.st_size > (long)MPSAN_PAGE)
		map = SYS6(SYS_mmap, 0, st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	SYS1(SYS_close, fd);
	if (map < 0 && map > -4096)
		return NULL;
	if (table_is_ours((void *)map, (uint64_t)st.st_size))
		return (void *)map;
	SYS2(SYS_munmap, map, st.st_size);
	return NULL;
}

/* Creates the file under a temporary name first, so that it is always complete. */
static void make_file(void)
{
	uint64_t places = registry_auto() ? PLACES_MANY : PLACES_FEW, bytes = file_bytes(places);
	char path[288], part[288];
	struct mpsan_exports *head;
	long error;

	make_path(path, path + sizeof(path), 0);
	make_path(part, part + sizeof(part), (uint64_t)life.slot << 32 | sys_tid());
	head = sys_map_file(part, 0, bytes, true, &error);
	if (!head)
		return;
	head->format = MPSAN_FORMAT;
	head->place_bytes = sizeof(struct mpsan_export_place);
	head->places = places;
	ranges_init(ranges_of(head), places, sizeof(struct mpsan_export_place));
	head->magic = MPSAN_EXPORTS_MAGIC;
	SYS6(SYS_linkat, AT_FDCWD, part, AT_FDCWD, path, 0, 0);
	SYS3(SYS_unlinkat, AT_FDCWD, part, 0);
	SYS2(SYS_munmap, head, bytes);
}

static void say_missing(void)
{
	static bool said;

	if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED))
		EMIT(limit,
		     .what = log_text(
			     "no registry of exported memory could be made in the session"),
		     .count = 1);
}

/* Maps the file. If two threads do so at once, the second unmaps its own. */
static struct mpsan_exports *head_of(bool make)
{
	struct mpsan_exports *have = __atomic_load_n(&mapped, __ATOMIC_ACQUIRE), *made;

	if (have || !life.session)
		return have;
	made = map_existing();
	if (!made && make) {
		make_file();
		made = map_existing();
		if (!made)
			say_missing();
	}
	if (made)
		mapped_bytes = file_bytes(made->places);
	if (made && !__atomic_compare_exchange_n(&mapped, &have, made, false, __ATOMIC_ACQ_REL,
						 __ATOMIC_ACQUIRE)) {
		SYS2(SYS_munmap, made, file_bytes(made->places));
		return have;
	}
	if (made)
		fault_guard(made, mapped_bytes);
	return made;
}

struct ranges *export_table_table(bool make)
{
	struct mpsan_exports *head = head_of(make);
	struct ranges *table = head ? ranges_of(head) : NULL;
	/* what was checked when it was mapped may have been spoilt since */
	bool sound = table && table->place_bytes == sizeof(struct mpsan_export_place) &&
		     file_bytes(table->places) == mapped_bytes;

	return sound ? table : NULL;
}

void export_table_refused(enum mpsan_export_refusal why)
{
	struct mpsan_exports *head = head_of(true);

	if (head)
		__atomic_fetch_add(&head->refused[why], 1, __ATOMIC_RELAXED);
}

/* ---- the living and the dead ---- */

static uint32_t slot_of(const struct mpsan_export_place *copy)
{
	return copy->owner == MPSAN_EXPORT_NAMED ? copy->of_slot :
						   copy->owner & ~MPSAN_EXPORT_IMPORT;
}

/*
 * Whether a process lives. A series of look-ups asks /proc once a millisecond: the process may end
 * right after any answer.
 */
bool export_table_lives(uint32_t slot)
{
	static uint64_t known;
	uint64_t answer = (slot + 1ull) << 32 | (uint32_t)(sys_now() >> 20);
	const struct mpsan_process *process = &life.table[slot];

	if (slot == life.slot)
		return true;
	if (slot >= table_there(life.session) || identity_has_ended(process, life.pid_ns))
		return false;
	if (__atomic_load_n(&known, __ATOMIC_RELAXED) == answer)
		return true;
	if (!identity_lives(process, life.pid_ns))
		return false;
	__atomic_store_n(&known, answer, __ATOMIC_RELAXED);
	return true;
}

void export_table_unname(const struct mpsan_export_place *of)
{
	struct ranges *table = export_table_table(false);
	struct mpsan_export_place copy;
	void *place;

	if (!of->name_hash)
		return;
	place = ranges_find(table, MPSAN_EXPORT_NAMED, of->name_hash, &copy);
	if (place && copy.of_slot == of->owner && copy.of_start == of->start)
		ranges_drop(table, place, &copy);
}

bool export_table_drop(struct mpsan_export_place *place, struct mpsan_export_place *copy)
{
	struct ranges *table = export_table_table(false);

	if (!ranges_hide(place, copy))
		return false;
	copy->flags = __atomic_load_n(&place->flags, __ATOMIC_SEQ_CST);
	copy->name_hash = __atomic_load_n(&place->name_hash, __ATOMIC_SEQ_CST);
	ranges_free(table, place);
	export_table_unname(copy);
	return true;
}

/*
 * Sets the flag. The owner hides the entry first and checks the flag then: so one of the two sees
 * the other.
 */
bool export_table_opened(struct mpsan_export_place *place, const struct mpsan_export_place *copy)
{
	__atomic_fetch_or(&place->flags, MPSAN_EXPORT_OPENED, __ATOMIC_SEQ_CST);
	return ranges_same(place, copy);
}

/*
 * Removes entries of dead processes from a bucket. Entries are in no order of owners, but those of
 * one process tend to be close.
 */
static void table_reclaim(struct ranges *table)
{
	uint32_t asked = UINT32_MAX;
	struct mpsan_export_place copy;
	uint64_t at = 0;
	bool lives = false;
	void *place;

	while ((place = ranges_next(table, &at, &copy))) {
		if (asked != slot_of(&copy))
			lives = export_table_lives(slot_of(&copy));
		asked = slot_of(&copy);
		if (!lives && ranges_drop(table, place, &copy))
			__atomic_fetch_add(&mapped->reclaimed, 1, __ATOMIC_RELAXED);
	}
}

void export_table_withdraw(void)
{
	struct ranges *table = export_table_table(false);
	struct mpsan_export_place copy;
	uint64_t at = 0;
	void *place;

	while (table && (place = ranges_next(table, &at, &copy)))
		if (slot_of(&copy) == life.slot)
			ranges_drop(table, place, &copy);
}

struct mpsan_export_place *export_table_claim(uint32_t owner, uint64_t start, uint64_t bytes)
{
	struct ranges *table = export_table_table(true);
	void *place = table ? ranges_claim(table, owner, start, bytes) : NULL;

	if (!place && table) {
		table_reclaim(table);
		place = ranges_claim(table, owner, start, bytes);
	}
	if (place) /* clears the entry; its range and state stay */
		memset((char *)place + sizeof(struct range), 0,
		       sizeof(struct mpsan_export_place) - sizeof(struct range));
	return place;
}

int export_table_find(uint32_t owner, uint64_t address, struct mpsan_export_place *copy,
		      struct mpsan_export_place **place)
{
	struct ranges *table = export_table_table(false);

	*place = table ? ranges_find(table, owner, address, copy) : NULL;
	if (!*place)
		return -ENOENT;
	if (export_table_lives(slot_of(copy)))
		return 0;
	table_reclaim(table);
	return -ESRCH;
}

uint64_t export_table_name_hash(const char *name)
{
	uint64_t hash = HASH_EMPTY;

	for (unsigned i = 0; name[i] && i + 1 < MPSAN_EXPORT_NAME; i++)
		hash = hash_add(hash, (unsigned char)name[i]);
	return hash ? hash : 1;
}

int export_table_find_name(const char *name, struct mpsan_export_place *copy,
			   struct mpsan_export_place **place)
{
	struct mpsan_export_place label;
	uint64_t hash = export_table_name_hash(name);
	int result = export_table_find(MPSAN_EXPORT_NAMED, hash, &label, place);

	if (result)
		return result;
	result = export_table_find(label.of_slot, label.of_start, copy, place);
	return !result && copy->born_ns != label.born_ns ? -ENOENT : result;
}
