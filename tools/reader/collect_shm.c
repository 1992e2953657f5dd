/* SPDX-License-Identifier: Apache-2.0 */
/* Collects facts about shared memory, in time order over all logs. */
#include "collect_shm.h"

#include <stdlib.h>
#include <string.h>

#include "../../shim/common/proof_rule.h"

#define LISTS_DOUBLED 12u
#define REFRESHED 65536u /* events between two checks of resident memory */

struct shm_store {
	struct shm_facts facts; /* its arrays point to those below once published */
	ARRAY(uint32_t) waiting; /* events that were not entered yet */
	ARRAY(struct shm_link) links;
	ARRAY(struct shm_name) names;
	ARRAY(struct shm_segment) segments;
	uint32_t shares; /* of the reader's shares, processed so far */
};

struct shm_store *shm_store_create(void)
{
	return memory_get(sizeof(struct shm_store));
}

void shm_store_destroy(struct shm_store *store)
{
	if (!store)
		return;
	free(store->waiting.item);
	free(store->links.item);
	free(store->names.item);
	free(store->segments.item);
	free(store->facts.lists);
	free(store->facts.name_lists);
	free(store->facts.path_lists);
	free(store->facts.locks);
	free(store);
}

/* Most sessions share no memory: the tables are created with the first fact. */
static void collect_shm_begin(struct reader *reader)
{
	struct shm_facts *facts = &reader->shm->facts;

	if (facts->lists)
		return;
	facts->lists = memory_get(SHM_LISTS * sizeof(uint32_t));
	facts->name_lists = memory_get(SHM_LISTS * sizeof(uint32_t));
	facts->path_lists = memory_get(SHM_PATH_LISTS * sizeof(uint32_t));
	facts->locks = memory_get(reader->session.slots * sizeof(bool));
}

static bool has_frame(const struct reader *reader, uint32_t slot, uint64_t python, const char *word)
{
	const char *frames = python ? reader_text(reader, slot, python) : NULL;

	return frames && strstr(frames, word);
}

/* Looks up the event's name, and what its Python frames say. */
static void look_into(struct reader *reader, const struct fact_event *event, struct shm_link *link)
{
	struct shm_store *store = reader->shm;
	uint64_t name = 0, python = 0;
	const char *text;

	switch (event->type) {
	case EV_shm:
		name = EVENT_AS(event, shm)->name;
		python = EVENT_AS(event, shm)->python;
		break;
	case EV_sock_refused:
		name = EVENT_AS(event, sock_refused)->path;
		python = EVENT_AS(event, sock_refused)->python;
		break;
	case EV_shm_intent:
		name = EVENT_AS(event, shm_intent)->name;
		break;
	case EV_shm_unlinked:
		name = EVENT_AS(event, shm_unlinked)->name;
		break;
	case EV_shm_refused:
		name = EVENT_AS(event, shm_refused)->name;
		break;
	case EV_shm_kept:
		name = EVENT_AS(event, shm_kept)->listener;
		break;
	case EV_sock_bound:
		name = EVENT_AS(event, sock_bound)->path;
		break;
	case EV_shm_left:
		name = EVENT_AS(event, shm_left)->name;
		break;
	default:
		return;
	}
	text = name ? reader_text(reader, event->slot, name) : NULL;
	if (text && *text && store->names.count < SHM_NAMES_MAX) {
		*ARRAY_ADD(&store->names) = (struct shm_name){.hash = shm_name_hash(text)};
		link->name = store->names.count & SHM_NAMES_MAX;
		if (shm_name_is_torch(text))
			link->flags |= SHM_LINK_TORCH;
		if (shm_name_is_driver(text))
			link->flags |= SHM_LINK_DRIVER;
	}
	if (has_frame(reader, event->slot, python, PROOF_FETCH_FRAME))
		link->flags |= SHM_LINK_REBUILDS;
}

static bool is_of_memory(uint32_t type)
{
	return (type >= EV_shm_intent && type <= EV_fault) || type == EV_shm_left;
}

static int compare_acts(const void *one, const void *other, void *context)
{
	const struct fact_event *events = context;
	const struct fact_event *a = &events[*(const uint32_t *)one];
	const struct fact_event *b = &events[*(const uint32_t *)other];

	if (event_time(a) != event_time(b))
		return event_time(a) < event_time(b) ? -1 : 1;
	if (a->slot != b->slot)
		return a->slot < b->slot ? -1 : 1;
	return a->record < b->record ? -1 : a->record > b->record;
}

static void lend_arrays(struct shm_store *store)
{
	store->facts.links = store->facts.lists ? store->links.item : NULL;
	store->facts.names = store->names.item;
	store->facts.segments = store->segments.item;
	store->facts.segment_count = store->segments.count;
}

/* Keeps one segment per list on average. */
static void double_lists(struct shm_facts *facts)
{
	size_t bytes = 2 * sizeof(uint32_t) * (SHM_LISTS << facts->doubled);
	AUTO_FREE uint32_t *old = facts->lists, *old_names = facts->name_lists;

	shm_double_lists(facts, memory_get(bytes), memory_get(bytes));
}

/* facts/ does not allocate: makes room first. */
static void collect_shm_enter(struct reader *reader, uint32_t event)
{
	struct shm_store *store = reader->shm;

	if (store->segments.count >= SHM_LISTS << store->facts.doubled &&
	    store->facts.doubled < LISTS_DOUBLED)
		double_lists(&store->facts);
	ARRAY_ADD(&store->segments);
	store->segments.count--;
	lend_arrays(store);
	shm_enter(&store->facts, reader->events.item, event);
	store->segments.count = store->facts.segment_count;
}

void collect_shm(struct reader *reader)
{
	struct shm_store *store = reader->shm;
	uint32_t event = reader->events.count - 1;

	while (store->links.count <= event)
		*ARRAY_ADD(&store->links) = (struct shm_link){0};
	if (!is_of_memory(reader->events.item[event].type))
		return;
	collect_shm_begin(reader);
	look_into(reader, &reader->events.item[event], &store->links.item[event]);
	/* What is over comes in the order of time. */
	if (reader->over && !store->waiting.count)
		collect_shm_enter(reader, event);
	else
		*ARRAY_ADD(&store->waiting) = event;
}

/* The events of one poll are sorted already. */
static void sort_waiting(struct reader *reader)
{
	struct shm_store *store = reader->shm;
	uint32_t *item = store->waiting.item;

	for (uint32_t i = 1; i < store->waiting.count; i++)
		if (compare_acts(&item[i - 1], &item[i], reader->events.item) > 0) {
			qsort_r(item, store->waiting.count, sizeof(uint32_t), compare_acts,
				reader->events.item);
			return;
		}
}

void collect_shm_due(struct reader *reader, uint64_t now)
{
	struct shm_store *store = reader->shm;
	uint32_t next = 0;

	for (; store->facts.locks && store->shares < reader->shares.count; store->shares++)
		store->facts.locks[reader->shares.item[store->shares].at.by] = true;
	if (!store->waiting.count)
		return;
	sort_waiting(reader);
	while (next < store->waiting.count &&
	       (reader->over ||
		event_time(&reader->events.item[store->waiting.item[next]]) + EVENT_SETTLE_NS <=
			now)) {
		collect_shm_enter(reader, store->waiting.item[next++]);
		if (next % REFRESHED == 0)
			reader_trim(reader);
	}
	store->waiting.count -= next;
	memmove(store->waiting.item, store->waiting.item + next,
		store->waiting.count * sizeof(uint32_t));
}

void shm_publish(struct reader *reader, struct facts *facts)
{
	lend_arrays(reader->shm);
	facts->shm = reader->shm->facts;
}
