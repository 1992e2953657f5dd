/* SPDX-License-Identifier: Apache-2.0 */
/* Builds the document of `mpsan ps --memory`: segments, who created them, and who uses them. */
#include "ps_memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../base/jsontext.h"
#include "../evidence/evidence_shm.h"
#include "../evidence/text_process.h"
#include "../evidence/text_shm.h"
#include "../proc/procmaps.h"
#include "../reader/collect_shm.h"

#define PLACED_MAX 256u /* segments whose creation is looked up in stacks */

/* A process that has a segment; several mappings count as one. */
struct user {
	uint32_t segment; /* index + 1 */
	uint32_t slot;
	uint64_t bytes; /* mapped; 0: only open */
};

struct memory {
	struct ps *ps;
	const struct facts *facts;
	ARRAY(struct user) users;
	ARRAY(uint32_t) there; /* existing segments, index + 1 */
	uint32_t hidden;
};

static void add_user(struct memory *memory, uint32_t slot, uint64_t device, uint64_t inode,
		     uint64_t bytes)
{
	uint32_t segment = shm_find(&memory->facts->shm, device, inode);

	if (!segment)
		return;
	for (uint32_t i = memory->users.count; i-- > 0 && memory->users.item[i].slot == slot;)
		if (memory->users.item[i].segment == segment) {
			memory->users.item[i].bytes += bytes;
			return;
		}
	*ARRAY_ADD(&memory->users) = (struct user){segment, slot, bytes};
}

static void look_at_maps(struct memory *memory, uint32_t slot, uint32_t pid)
{
	struct procmaps maps = {0};

	memory->hidden += !procmaps_read(&maps, pid);
	for (uint32_t i = 0; i < maps.list.count; i++) {
		const struct procmap *map = &maps.list.item[i];

		add_user(memory, slot, map->device, map->inode, map->end - map->start);
	}
	procmaps_free(&maps);
}

static void look_at_descriptors(struct memory *memory, uint32_t slot, uint32_t pid)
{
	char path[32];
	struct dirent *entry;
	struct stat st;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%u/fd", proc_living(pid));
	folder = opendir(path);
	while (folder && (entry = readdir(folder)))
		if (entry->d_name[0] != '.' && !fstatat(dirfd(folder), entry->d_name, &st, 0) &&
		    S_ISREG(st.st_mode))
			add_user(memory, slot, st.st_dev, st.st_ino, 0);
	if (folder)
		closedir(folder);
}

static void look_at_users(struct memory *memory)
{
	const struct reader *reader = memory->ps->reader;

	READER_EACH_SLOT(reader, slot) {
		uint32_t pid = session_pid(&reader->session, slot);

		if (reader->processes[slot].gone ||
		    reader->session.table[slot].flags & MPSAN_PROCESS_REPLACED ||
		    session_liveness(&reader->session, slot) != ALIVE)
			continue;
		look_at_maps(memory, slot, pid);
		look_at_descriptors(memory, slot, pid);
	}
}

/* Whether the segment still has the name that its creator gave it. */
static bool is_linked(const struct memory *memory, uint32_t segment)
{
	const char *name = segment_name(memory->ps->reader, segment);
	const struct shm_segment *known = &memory->facts->shm.segments[segment - 1];
	AUTO_FREE char *path = name ? text_format("/dev/shm/%s", name) : NULL;
	struct stat st;

	return path && !lstat(path, &st) && st.st_ino == known->inode && st.st_dev == known->device;
}

static bool is_used(const struct memory *memory, uint32_t segment)
{
	for (uint32_t i = 0; i < memory->users.count; i++)
		if (memory->users.item[i].segment == segment)
			return true;
	return false;
}

/* Whether it may still have a name: most were unlinked by their creators. */
static bool may_be_linked(const struct memory *memory, uint32_t segment)
{
	const struct fact_event *made = shm_made(memory->facts, segment);

	return made && !(event_later(made) & MPSAN_LATER_UNLINKED) && is_linked(memory, segment);
}

static int ps_memory_compare(const void *one, const void *other, void *context)
{
	const struct facts *facts = context;
	uint64_t a = shm_bytes(facts, *(const uint32_t *)one);
	uint64_t b = shm_bytes(facts, *(const uint32_t *)other);

	return a > b ? -1 : a < b;
}

static json_t *who_json(const struct memory *memory, uint32_t slot)
{
	AUTO_FREE char *who = process_text(memory->ps->reader, slot);

	return json_pack("{s:I, s:o}", "pid",
			 (json_int_t)memory->ps->reader->session.table[slot].pid, "who",
			 jsontext_of(who));
}

static json_t *made_json(const struct memory *memory, uint32_t segment, bool place)
{
	const struct finding finding = {.segment = segment};
	const struct evidence_context ctx = {memory->ps->reader, memory->ps->judge->frames};
	struct event_subjects subjects = {.ctx = &ctx, .facts = memory->facts, .finding = &finding};
	const struct fact_event *made = shm_made(memory->facts, segment);
	struct callsite callsite = {0};
	struct fact_place at;
	json_t *object;

	if (!made)
		return json_null();
	object = who_json(memory, made->by);
	json_object_set_new(
		object, "time_ns",
		json_integer((json_int_t)reader_real_ns(memory->ps->reader, event_time(made))));
	if (place)
		shm_maker_callsite(&subjects, &callsite, &at);
	json_object_set_new(object, "at", jsontext_of(callsite.where));
	callsite_finish(&callsite);
	return object;
}

static void add_acts(const struct memory *memory, uint32_t segment, json_t *object)
{
	json_int_t sent = 0, received = 0;
	json_t *removed = json_null();

	EACH_SHM_EVENT(memory->facts, segment - 1, at) {
		const struct fact_event *event = &memory->facts->events[at - 1];

		sent += event->type == EV_shm_sent;
		received += event->type == EV_shm &&
			    EVENT_AS(event, shm)->way >= MPSAN_SHM_RECEIVED &&
			    EVENT_AS(event, shm)->way <= MPSAN_SHM_FETCHED;
		if (event->type == EV_shm_unlinked && json_is_null(removed))
			removed = who_json(memory, event->by);
	}
	json_object_set_new(object, "sent", json_integer(sent));
	json_object_set_new(object, "received", json_integer(received));
	json_object_set_new(object, "removed_by", removed);
}

static void add_users(const struct memory *memory, uint32_t segment, json_t *object)
{
	json_t *mappers = json_array(), *holders = json_array();

	for (uint32_t i = 0; i < memory->users.count; i++) {
		const struct user *user = &memory->users.item[i];
		json_t *who;

		if (user->segment != segment)
			continue;
		who = who_json(memory, user->slot);
		if (user->bytes)
			json_object_set_new(who, "bytes", json_integer((json_int_t)user->bytes));
		json_array_append_new(user->bytes ? mappers : holders, who);
	}
	json_object_set_new(object, "mappers", mappers);
	json_object_set_new(object, "holders", holders);
}

static json_t *segment_json(const struct memory *memory, uint32_t segment, bool place)
{
	const struct reader *reader = memory->ps->reader;
	const struct shm_segment *known = &memory->facts->shm.segments[segment - 1];
	AUTO_FREE char *names = segment_names(reader, segment);
	json_t *object = json_pack(
		"{s:o, s:o, s:I, s:I, s:I, s:b, s:b, s:o}", "name",
		jsontext_of(segment_name(reader, segment)), "names", jsontext_of(names), "bytes",
		(json_int_t)shm_bytes(memory->facts, segment), "device", (json_int_t)known->device,
		"inode", (json_int_t)known->inode, "tensor", shm_is_torch(memory->facts, segment),
		"linked", is_linked(memory, segment), "made", made_json(memory, segment, place));

	add_users(memory, segment, object);
	add_acts(memory, segment, object);
	return object;
}

static json_t *made_total(const struct memory *memory)
{
	uint64_t count = 0, bytes = 0;

	for (uint32_t i = 1; i <= memory->facts->shm.segment_count; i++)
		if (shm_made(memory->facts, i)) {
			count++;
			bytes += shm_bytes(memory->facts, i);
		}
	return json_pack("{s:I, s:I}", "segments", (json_int_t)count, "bytes", (json_int_t)bytes);
}

/* Processes what the logs have now, without waiting for more. */
static void ps_memory_settle(struct ps *ps)
{
	if (!ps->live)
		return;
	ps->now_ns = clock_ns(CLOCK_MONOTONIC);
	reader_poll(ps->reader, ps->now_ns);
	collect_shm_due(ps->reader, ps->now_ns + EVENT_SETTLE_NS);
	shm_publish(ps->reader, &ps->reader->facts);
}

json_t *ps_memory_document(struct ps *ps)
{
	ps_memory_settle(ps);
	return ps_memory_look(ps);
}

json_t *ps_memory_look(struct ps *ps)
{
	struct memory memory = {.ps = ps, .facts = &ps->reader->facts};
	json_t *segments = json_array(), *document;

	if (ps->live)
		look_at_users(&memory);
	for (uint32_t i = 1; i <= memory.facts->shm.segment_count; i++)
		if (is_used(&memory, i) || may_be_linked(&memory, i))
			*ARRAY_ADD(&memory.there) = i;
	if (memory.there.count)
		qsort_r(memory.there.item, memory.there.count, sizeof(uint32_t), ps_memory_compare,
			(void *)memory.facts);
	for (uint32_t i = 0; i < memory.there.count; i++)
		json_array_append_new(segments,
				      segment_json(&memory, memory.there.item[i], i < PLACED_MAX));
	document = json_pack("{s:s, s:o, s:b, s:I, s:o, s:o, s:I}", "schema", "mpsan.ps-memory/1",
			     "session", jsontext_of(ps->reader->session.dir), "live", ps->live,
			     "time_ns", (json_int_t)reader_real_ns(ps->reader, ps->now_ns), "made",
			     made_total(&memory), "segments", segments, "hidden",
			     (json_int_t)memory.hidden);
	free(memory.users.item);
	free(memory.there.item);
	return document;
}
