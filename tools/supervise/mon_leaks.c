/* SPDX-License-Identifier: Apache-2.0 */
/* Detects shared-memory names that a session leaves behind. */
#include "mon_leaks.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>

#include "../facts/roles.h"
#include "../reader/collect.h"

#define FOLDER "/dev/shm"
#define STEP_MS 20
#define CLOCK_STEP_NS 10000000ull /* resolution of file timestamps */
#define NONE UINT32_MAX

/* An existing name, and the event of its creation. */
struct left {
	char *name;
	uint64_t device, inode, bytes, born_ns; /* born: CLOCK_REALTIME; 0: unknown */
	uint64_t hash;
	uint32_t event; /* NONE: not of this session */
};

struct leaks {
	struct reader *reader;
	ARRAY(struct left) left; /* by inode */
	bool served; /* a process lives that may still unlink names */
};

/* Semaphores are excluded, and libraries that leave a name on purpose for later programs. */
static bool is_left_alone(const char *name)
{
	static const char *const beginnings[] = {".", "sem.", "__KMP_REGISTERED_LIB_",
						 "lttng-ust-"};

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (!strncmp(name, beginnings[i], strlen(beginnings[i])))
			return true;
	return false;
}

static void mon_leaks_add(struct leaks *leaks, int folder, const char *name)
{
	struct statx st;

	if (is_left_alone(name) ||
	    statx(folder, name, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS | STATX_BTIME, &st) ||
	    !S_ISREG(st.stx_mode))
		return;
	*ARRAY_ADD(&leaks->left) =
		(struct left){.name = text_copy(name),
			      .device = makedev(st.stx_dev_major, st.stx_dev_minor),
			      .inode = st.stx_ino,
			      .bytes = st.stx_size,
			      .born_ns = st.stx_mask & STATX_BTIME ?
						 (uint64_t)st.stx_btime.tv_sec * 1000000000ull +
							 st.stx_btime.tv_nsec :
						 0,
			      .hash = shm_name_hash(name),
			      .event = NONE};
}

static int mon_leaks_compare(const void *one, const void *other)
{
	const struct left *a = one, *b = other;

	return a->inode < b->inode ? -1 : a->inode > b->inode;
}

static void mon_leaks_list(struct leaks *leaks)
{
	DIR *folder = opendir(FOLDER);
	struct dirent *entry;

	while (folder && (entry = readdir(folder)))
		mon_leaks_add(leaks, dirfd(folder), entry->d_name);
	if (folder)
		closedir(folder);
	if (leaks->left.count)
		qsort(leaks->left.item, leaks->left.count, sizeof(struct left), mon_leaks_compare);
}

static void mon_leaks_forget(struct leaks *leaks)
{
	for (uint32_t i = 0; i < leaks->left.count; i++)
		free(leaks->left.item[i].name);
	leaks->left.count = 0;
}

static struct left *left_of(struct leaks *leaks, uint64_t device, uint64_t inode)
{
	struct left key = {.inode = inode};
	struct left *found = leaks->left.count ? bsearch(&key, leaks->left.item, leaks->left.count,
							 sizeof(key), mon_leaks_compare) :
						 NULL;

	return found && found->device == device ? found : NULL;
}

/* Finds the creator of a name without an event: it died between creating and logging it. */
static void match_intent(struct leaks *leaks, struct left *left)
{
	const struct reader *reader = leaks->reader;

	for (uint32_t i = 0; i < reader->events.count; i++) {
		const struct fact_event *event = &reader->events.item[i];

		if (shm_name_of(&reader->facts, i) != left->hash)
			continue;
		if (event->type == EV_shm_intent &&
		    left->born_ns + CLOCK_STEP_NS >= reader_real_ns(reader, event_time(event)))
			left->event = i;
		if (event->type == EV_shm && EVENT_AS(event, shm)->flags & MPSAN_SHM_MADE)
			left->event = NONE; /* that one created another segment */
	}
}

static void match(struct leaks *leaks)
{
	const struct reader *reader = leaks->reader;

	for (uint32_t i = 0; i < reader->events.count; i++) {
		const struct fact_event *event = &reader->events.item[i];
		const struct ev_shm *ev = EVENT_AS(event, shm);
		struct left *left;

		if (event->type != EV_shm || !(ev->flags & MPSAN_SHM_MADE))
			continue;
		left = left_of(leaks, ev->device, ev->inode);
		if (left)
			left->event = i;
	}
	for (uint32_t i = 0; i < leaks->left.count; i++)
		if (leaks->left.item[i].event == NONE &&
		    leaks->left.item[i].born_ns >= reader->session.head->start_real_ns)
			match_intent(leaks, &leaks->left.item[i]);
}

static bool is_alive(const struct reader *reader, uint32_t slot)
{
	return session_liveness(&reader->session, slot) == ALIVE;
}

/* Whether its creator or a process that maps it lives and may still unlink it. */
static bool is_in_use(const struct reader *reader, const struct left *left)
{
	uint32_t maker = reader->events.item[left->event].by;

	READER_EACH_SLOT(reader, slot) {
		if (!is_alive(reader, slot))
			continue;
		if (session_pid(&reader->session, slot) == session_pid(&reader->session, maker) ||
		    proc_maps(session_pid(&reader->session, slot), left->device, left->inode))
			return true;
	}
	return false;
}

static bool is_served(const struct reader *reader)
{
	READER_EACH_SLOT(reader, slot) {
		enum role role = role_of(&reader->session.table[slot]);

		if ((role == ROLE_TRACKER || role == ROLE_SHM_MANAGER) && is_alive(reader, slot))
			return true;
	}
	return false;
}

/* Collects existing names of this session that no process uses. */
static uint32_t mon_leaks_take(struct leaks *leaks)
{
	uint32_t count = 0;

	mon_leaks_forget(leaks);
	mon_leaks_list(leaks);
	match(leaks);
	for (uint32_t i = 0; i < leaks->left.count; i++) {
		struct left *left = &leaks->left.item[i];

		if (left->event != NONE && is_in_use(leaks->reader, left))
			left->event = NONE;
		count += left->event != NONE;
	}
	return count;
}

/*
 * Checks the name again once all processes that could unlink it have ended: they may have done so
 * before.
 */
static bool mon_leaks_is_there(const struct left *left)
{
	AUTO_FREE char *path = text_format("%s/%s", FOLDER, left->name);
	struct stat st;

	return !lstat(path, &st) && st.st_ino == left->inode;
}

static void mon_leaks_state(struct leaks *leaks, struct watchlog *log)
{
	for (uint32_t i = 0; i < leaks->left.count; i++) {
		const struct left *left = &leaks->left.item[i];
		const struct fact_event *made;
		struct ev_shm_left ev;

		if (left->event == NONE || !mon_leaks_is_there(left))
			continue;
		made = &leaks->reader->events.item[left->event];
		ev = (struct ev_shm_left){.name = watchlog_text(log, made->by, left->name),
					  .device = left->device,
					  .inode = left->inode,
					  .bytes = left->bytes,
					  .maker_slot = made->by + 1,
					  .record = reader_event_place(leaks->reader, made).pos};
		watchlog_put(log, EV_shm_left, made->by, event_tid(made), &ev, sizeof(ev));
	}
}

/* Records a limit for names in another mount namespace, which the supervisor cannot see. */
static void state_limit(const struct reader *reader, struct watchlog *log)
{
	struct ev_limit limit = {0};
	uint32_t by = 0;
	struct stat st;

	if (stat(FOLDER, &st))
		return;
	for (uint32_t i = 0; i < reader->events.count; i++) {
		const struct fact_event *event = &reader->events.item[i];

		if (event->type != EV_shm || !(EVENT_AS(event, shm)->flags & MPSAN_SHM_MADE) ||
		    EVENT_AS(event, shm)->way != MPSAN_SHM_OPEN ||
		    EVENT_AS(event, shm)->device == st.st_dev ||
		    event_later(event) & MPSAN_LATER_UNLINKED)
			continue;
		limit.count++;
		by = event->by;
	}
	if (!limit.count)
		return;
	limit.what =
		watchlog_text(log, by, "shared-memory names in another /dev/shm were not checked");
	watchlog_put(log, EV_limit, by, 0, &limit, sizeof(limit));
}

void mon_leaks_look(struct reader *reader, struct watchlog *log)
{
	struct leaks leaks = {.reader = reader};
	uint64_t until = clock_ns(CLOCK_MONOTONIC) + LEAKS_GRACE_NS;
	uint32_t count;

	if (!reader->facts.shm.links)
		return;
	collect_settled(reader, UINT64_MAX); /* all processes that could unlink it have ended */
	while ((count = mon_leaks_take(&leaks)) && (leaks.served = is_served(reader)) &&
	       clock_ns(CLOCK_MONOTONIC) < until) {
		poll(NULL, 0, STEP_MS);
		reader_poll(reader, clock_ns(CLOCK_MONOTONIC));
	}
	if (count && !leaks.served)
		mon_leaks_state(&leaks, log);
	state_limit(reader, log);
	mon_leaks_forget(&leaks);
	free(leaks.left.item);
}
