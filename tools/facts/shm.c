/* SPDX-License-Identifier: Apache-2.0 */
/* Relates shared-memory events to segments: by device and inode, and by name. */
#include "shm.h"

#include <string.h>

#include "../../shim/common/hash.h"
#include "ipc.h"

#define ACTS_MAX 65536u /* events about one segment, examined per query */

static uint32_t list_of(const struct shm_facts *shm, uint64_t device, uint64_t inode)
{
	return (uint32_t)((inode ^ device << 32) * 0x9e3779b97f4a7c15ull >> (48 - shm->doubled));
}

static uint32_t name_list_of(const struct shm_facts *shm, uint64_t name)
{
	return (uint32_t)(name * 0x9e3779b97f4a7c15ull >> (48 - shm->doubled));
}

_Static_assert(SHM_LISTS == 1u << (64 - 48), "a hash is the number of a list");

uint32_t shm_find(const struct shm_facts *shm, uint64_t device, uint64_t inode)
{
	uint32_t at = shm->lists ? shm->lists[list_of(shm, device, inode)] : 0;

	while (at &&
	       (shm->segments[at - 1].device != device || shm->segments[at - 1].inode != inode))
		at = shm->segments[at - 1].list_before;
	return at;
}

uint32_t shm_find_name(const struct shm_facts *shm, uint64_t name)
{
	uint32_t at = shm->name_lists && name ? shm->name_lists[name_list_of(shm, name)] : 0;

	while (at && shm->segments[at - 1].name != name)
		at = shm->segments[at - 1].name_before;
	return at;
}

static const struct shm_name *name_at(const struct shm_facts *shm, uint32_t event)
{
	static const struct shm_name none;

	return shm->links[event].name ? &shm->names[shm->links[event].name - 1] : &none;
}

uint64_t shm_name_of(const struct facts *facts, uint32_t event)
{
	return facts->shm.links && event < facts->event_count ? name_at(&facts->shm, event)->hash :
								0;
}

uint32_t shm_find_path(const struct facts *facts, uint32_t event, uint32_t type)
{
	uint64_t name = shm_name_of(facts, event);
	uint32_t at = name ? name_at(&facts->shm, event)->before : 0;

	while (at && (shm_name_of(facts, at - 1) != name || facts->events[at - 1].type != type))
		at = name_at(&facts->shm, at - 1)->before;
	return at;
}

static uint32_t begin_segment(struct shm_facts *shm, uint64_t device, uint64_t inode,
			      uint32_t event)
{
	uint32_t *list = &shm->lists[list_of(shm, device, inode)];

	shm->segments[shm->segment_count] = (struct shm_segment){
		.device = device, .inode = inode, .first = event + 1, .list_before = *list};
	return *list = ++shm->segment_count;
}

/* A name means the newest segment made under it. */
static void enter_maker(struct shm_facts *shm, uint32_t segment, uint32_t event)
{
	struct shm_segment *made = &shm->segments[segment - 1];
	uint32_t *list;

	made->made = event + 1;
	made->name = name_at(shm, event)->hash;
	if (!made->name)
		return;
	list = &shm->name_lists[name_list_of(shm, made->name)];
	made->name_before = *list;
	*list = segment;
}

/* Keeps the newest first; each list splits into two neighbours. */
void shm_double_lists(struct shm_facts *shm, uint32_t *lists, uint32_t *name_lists)
{
	uint32_t count = SHM_LISTS << shm->doubled++, next;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t *end[2] = {&lists[2 * i], &lists[2 * i + 1]};
		uint32_t *name_end[2] = {&name_lists[2 * i], &name_lists[2 * i + 1]};

		for (uint32_t at = shm->lists[i]; at; at = next) {
			struct shm_segment *segment = &shm->segments[at - 1];
			uint32_t side = list_of(shm, segment->device, segment->inode) & 1;

			next = segment->list_before;
			*end[side] = at;
			end[side] = &segment->list_before;
		}
		for (uint32_t at = shm->name_lists[i]; at; at = next) {
			struct shm_segment *segment = &shm->segments[at - 1];
			uint32_t side = name_list_of(shm, segment->name) & 1;

			next = segment->name_before;
			*name_end[side] = at;
			name_end[side] = &segment->name_before;
		}
		*end[0] = *end[1] = *name_end[0] = *name_end[1] = 0;
	}
	shm->lists = lists;
	shm->name_lists = name_lists;
}

static void shm_tie(struct shm_facts *shm, uint32_t segment, uint32_t event)
{
	shm->links[event].segment = segment;
	shm->links[event].before = shm->segments[segment - 1].newest;
	shm->segments[segment - 1].newest = event + 1;
}

static void enter_segment(struct shm_facts *shm, const struct fact_event *events, uint32_t event)
{
	const struct ev_shm *ev = EVENT_AS(&events[event], shm);
	uint32_t segment = shm_find(shm, ev->device, ev->inode);
	bool made = ev->flags & MPSAN_SHM_MADE;

	if (!ev->inode)
		return;
	if (!segment || (made && shm->segments[segment - 1].made))
		segment = begin_segment(shm, ev->device, ev->inode, event);
	if (made)
		enter_maker(shm, segment, event);
	shm_tie(shm, segment, event);
}

/* An event may create a segment whose creation was not seen. */
static void enter_about(struct shm_facts *shm, uint64_t device, uint64_t inode, uint32_t event,
			bool surely)
{
	uint32_t segment = inode ? shm_find(shm, device, inode) : 0;

	if (!segment && inode && surely)
		segment = begin_segment(shm, device, inode, event);
	if (segment)
		shm_tie(shm, segment, event);
}

static void enter_map(struct shm_facts *shm, const struct ev_shm_map *ev, uint32_t event)
{
	if (ev->device & MPSAN_SHM_MAP_WRITABLE)
		shm->links[event].flags |= SHM_LINK_WRITER;
	enter_about(shm, MPSAN_SHM_DEVICE(ev->device), ev->inode, event, true);
}

static void enter_path(struct shm_facts *shm, uint32_t event)
{
	struct shm_name *name;
	uint32_t *list;

	if (!shm->links[event].name)
		return;
	name = &shm->names[shm->links[event].name - 1];
	list = &shm->path_lists[name->hash % SHM_PATH_LISTS];
	name->before = *list;
	*list = event + 1;
}

#define ABOUT(name, surely)                                                                \
	case EV_##name:                                                                    \
		enter_about(shm, MPSAN_SHM_DEVICE(EVENT_AS(&events[event], name)->device), \
			    EVENT_AS(&events[event], name)->inode, event, surely);         \
		break

void shm_enter(struct shm_facts *shm, const struct fact_event *events, uint32_t event)
{
	switch (events[event].type) {
	case EV_shm:
		enter_segment(shm, events, event);
		break;
	case EV_shm_map:
		enter_map(shm, EVENT_AS(&events[event], shm_map), event);
		break;
		ABOUT(shm_size, true);
		ABOUT(shm_sent, true);
		ABOUT(shm_unlinked, true);
		ABOUT(shm_inherited, true);
		ABOUT(shm_left, true);
		ABOUT(shm_refused, false);
		ABOUT(fault, false);
	case EV_shm_kept:
		enter_path(shm, event);
		enter_about(shm, EVENT_AS(&events[event], shm_kept)->device,
			    EVENT_AS(&events[event], shm_kept)->inode, event, false);
		break;
	case EV_sock_bound:
	case EV_sock_refused:
		enter_path(shm, event);
		break;
	default:
		break;
	}
}

const struct shm_link *shm_link_of(const struct facts *facts, uint32_t event)
{
	static const struct shm_link none;

	return facts->shm.links && event < facts->event_count ? &facts->shm.links[event] : &none;
}

uint32_t shm_segment_of(const struct facts *facts, uint32_t event)
{
	return shm_link_of(facts, event)->segment;
}

const struct fact_event *shm_made(const struct facts *facts, uint32_t segment)
{
	uint32_t made = segment ? facts->shm.segments[segment - 1].made : 0;

	return made ? &facts->events[made - 1] : NULL;
}

uint32_t shm_maker(const struct facts *facts, uint32_t segment)
{
	const struct fact_event *made = shm_made(facts, segment);

	return made ? made->by : FACT_NONE;
}

uint64_t shm_bytes(const struct facts *facts, uint32_t segment)
{
	const struct fact_event *made = shm_made(facts, segment);
	uint64_t bytes = made ? MPSAN_LATER_BYTES(event_later(made)) : 0;

	if (!bytes && made)
		bytes = EVENT_AS(made, shm)->bytes;
	if (bytes || !segment)
		return bytes;
	EACH_SHM_EVENT(facts, segment - 1, at) {
		const struct fact_event *event = &facts->events[at - 1];

		if (event->type == EV_shm && EVENT_AS(event, shm)->bytes > bytes)
			bytes = EVENT_AS(event, shm)->bytes;
		if (event->type == EV_shm_map && EVENT_AS(event, shm_map)->bytes > bytes)
			bytes = EVENT_AS(event, shm_map)->bytes;
	}
	return bytes;
}

static bool name_has(const struct facts *facts, uint32_t segment, uint32_t flag)
{
	uint32_t made = segment ? facts->shm.segments[segment - 1].made : 0;

	return made && facts->shm.links[made - 1].flags & flag;
}

bool shm_is_torch(const struct facts *facts, uint32_t segment)
{
	return name_has(facts, segment, SHM_LINK_TORCH);
}

bool shm_is_driver(const struct facts *facts, uint32_t segment)
{
	return name_has(facts, segment, SHM_LINK_DRIVER);
}

uint64_t shm_unmap_ns(const struct facts *facts, const struct fact_event *map)
{
	uint64_t end = cuda_end_ns(facts, map->by), unmapped = event_later(map);

	return unmapped && (!end || unmapped < end) ? unmapped : end;
}

uint32_t shm_mapped(const struct facts *facts, uint32_t segment, uint64_t time_ns, uint32_t but)
{
	uint32_t work = ACTS_MAX;

	EACH_SHM_EVENT(facts, segment - 1, at) {
		const struct fact_event *event = &facts->events[at - 1];
		uint64_t end;

		if (event->type != EV_shm_map || event->by == but || event_time(event) > time_ns)
			continue;
		end = shm_unmap_ns(facts, event);
		if (!end || end > time_ns)
			return at;
		if (!work--)
			break;
	}
	return 0;
}

bool shm_was_killed(const struct facts *facts, uint32_t slot)
{
	enum cuda_end end = cuda_end(facts, slot);

	return end == CUDA_END_KILLED || end == CUDA_END_SILENT;
}

bool shm_has_ended(const struct facts *facts, uint32_t slot, uint64_t time_ns)
{
	uint64_t end = slot < facts->process_count ? cuda_end_ns(facts, slot) : 0;

	return end && end <= time_ns;
}

const char *shm_name_bare(const char *name)
{
	if (!strncmp(name, "/dev/shm/", 9))
		name += 9;
	while (*name == '/')
		name++;
	return name;
}

bool shm_name_is_torch(const char *name)
{
	return !strncmp(shm_name_bare(name), "torch_", 6);
}

bool shm_name_is_driver(const char *name)
{
	return !strncmp(shm_name_bare(name), "cuda.shm.", 9);
}

uint64_t shm_name_hash(const char *name)
{
	uint64_t hash = hash_text(HASH_EMPTY, shm_name_bare(name));

	return hash ? hash : 1;
}
