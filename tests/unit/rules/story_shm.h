/*
 * A world for stories about shared memory: six processes, and what they do with segments. A story
 * tells acts in the order of time; each comes a tenth of a second after the one before. Process and segment
 * are numbers; the segment's inode is its number. Neighbours: story_facts.h, shm_*.c.
 */
#ifndef STORY_SHM_H
#define STORY_SHM_H

#include "story_facts.h"

#include <signal.h>

#define PROCESSES 6u
#define MAKER 0
#define USER 1
#define OTHER 2
#define HELPER 3 /* a resource tracker or torch_shm_manager, if a story says so */
#define STRANGER 4
#define ROOM 1024u
#define TENTH (SECOND / 10)
#define MIB (1ull << 20)
#define DEVICE 0x17ull
#define LISTENER 7u /* a path */
#define A 11u /* segments */
#define B 12u

static struct mpsan_process slots[PROCESSES];
static struct fact_process processes[PROCESSES];
static struct fact_event events[ROOM];
static struct story_record records[ROOM];
static struct shm_link links[ROOM];
static struct shm_name names[ROOM];
static struct shm_segment segments[ROOM];
static uint32_t lists[2][SHM_LISTS], path_lists[SHM_PATH_LISTS];
static bool locks[PROCESSES];
static struct facts facts;
static uint64_t clock_now;

/* Six processes that live, none of which stems from another; the clock stands at second 10. */
static inline int begin(void **state)
{
	(void)state;
	memset(slots, 0, sizeof(slots));
	memset(processes, 0, sizeof(processes));
	memset(links, 0, sizeof(links));
	memset(segments, 0, sizeof(segments));
	memset(lists, 0, sizeof(lists));
	memset(path_lists, 0, sizeof(path_lists));
	memset(locks, 0, sizeof(locks));
	clock_now = 10 * SECOND;
	for (uint32_t i = 0; i < PROCESSES; i++) {
		slots[i] = (struct mpsan_process){.pid = 100 * (i + 1),
						  .how = MPSAN_HOW_ROOT,
						  .birth_ns = SECOND,
						  .flags = MPSAN_PROCESS_ATTACHED};
		processes[i].slot = &slots[i];
	}
	facts = (struct facts){.processes = processes,
			       .process_count = PROCESSES,
			       .events = events,
			       .followed = true,
			       .shm = {.links = links,
				       .names = names,
				       .segments = segments,
				       .lists = lists[0],
				       .name_lists = lists[1],
				       .path_lists = path_lists,
				       .locks = locks}};
	return 0;
}

/* Takes the act in; `name` stands for the text that it mentions. Its index. */
static inline uint32_t act_as(uint32_t by, uint32_t type, const void *event, size_t bytes,
			      uint64_t name, uint32_t flags)
{
	uint32_t index = facts.event_count++;

	assert_true(index < ROOM && bytes <= sizeof(records[index].fields));
	clock_now += TENTH;
	events[index] = story_event(&records[index], by, type, &processes[by], index, clock_now);
	memcpy(records[index].fields, event, bytes);
	names[index] = (struct shm_name){.hash = name};
	links[index] = (struct shm_link){.name = name ? (index + 1) % ROOM : 0, .flags = flags};
	shm_enter(&facts.shm, events, index);
	return index;
}

#define ACT(by, event, name, flags, ...)                                                           \
	act_as(by, EV_##event, &(struct ev_##event){__VA_ARGS__}, sizeof(struct ev_##event), name, \
	       flags)

/* A segment under the name that has its number, with one MiB. */
static inline uint32_t make_as(uint32_t by, uint32_t segment, enum mpsan_shm_way way,
			       uint32_t flags)
{
	uint32_t act = ACT(by, shm, way == MPSAN_SHM_MEMFD ? 0 : segment, flags, .way = way,
			   .flags = MPSAN_SHM_MADE, .device = DEVICE, .inode = segment);

	records[act].head.later = MIB;
	return act;
}

static inline uint32_t make(uint32_t by, uint32_t segment)
{
	return make_as(by, segment, MPSAN_SHM_OPEN, 0);
}

static inline uint32_t make_tensor(uint32_t by, uint32_t segment)
{
	return make_as(by, segment, MPSAN_SHM_OPEN, SHM_LINK_TORCH);
}

/* The process is a worker of a DataLoader; a tensor of its may come from any of its threads. */
static inline void loads_data(uint32_t by)
{
	ACT(by, process_name, 0, 0, .name = 64, .work = MPSAN_WORK_LOADER);
}

static inline uint32_t map_as(uint32_t by, uint32_t segment, uint64_t flags)
{
	return ACT(by, shm_map, 0, 0, .device = DEVICE | flags, .inode = segment, .bytes = MIB);
}

static inline uint32_t map(uint32_t by, uint32_t segment)
{
	return map_as(by, segment, MPSAN_SHM_MAP_WRITABLE);
}

static inline void unmap(uint32_t mapping)
{
	records[mapping].head.later = clock_now += TENTH;
}

static inline uint32_t send_off(uint32_t by, uint32_t made)
{
	records[made].head.later |= MPSAN_LATER_SENT;
	return ACT(by, shm_sent, 0, 0, .device = DEVICE,
		   .inode = EVENT_AS(&events[made], shm)->inode);
}

static inline uint32_t remove_name(uint32_t by, uint32_t segment)
{
	return ACT(by, shm_unlinked, segment, 0, .device = DEVICE, .inode = segment);
}

static inline uint32_t refused(uint32_t by, uint32_t segment, uint32_t flags)
{
	return ACT(by, shm_refused, segment, flags, .reason = MPSAN_SHM_NO_NAME);
}

static inline uint32_t at_limit(enum mpsan_shm_reason reason, uint64_t count, uint64_t limit)
{
	return ACT(MAKER, shm_refused, 0, 0, .reason = reason, .count = count, .limit = limit);
}

static inline void stem(uint32_t child, uint32_t parent)
{
	slots[child].parent = parent + 1;
}

static inline void copy(uint32_t parent, uint32_t child)
{
	stem(child, parent);
	slots[child].how = MPSAN_HOW_FORK;
}

/* The helper becomes what its command line says, started by `parent`. */
static inline void serve(uint32_t parent, const char *argument)
{
	stem(HELPER, parent);
	slots[HELPER].argv_bytes = strlen(argument) + 1;
	strcpy(slots[HELPER].argv, argument);
}

static inline void end_process(uint32_t slot, enum mpsan_end end, int32_t value)
{
	clock_now += TENTH;
	slots[slot].end = end;
	slots[slot].end_value = value;
	slots[slot].end_ns = clock_now;
	processes[slot].gone = true;
	processes[slot].gone_ns = clock_now;
}

static inline void leave(uint32_t slot)
{
	end_process(slot, MPSAN_END_EXIT, 0);
}

static inline void kill_it(uint32_t slot)
{
	end_process(slot, MPSAN_END_SIGNAL, SIGKILL);
}

/* What a rule says of a moment, at the time of the clock. */
static inline enum grade hear(enum trigger_kind kind, uint32_t index, enum rule_id rule)
{
	struct trigger trigger = {kind, index};
	struct verdict verdict = {.sink = {verdict_add}};

	facts.now_ns = clock_now;
	story_run(&facts, &trigger, &verdict.sink);
	return grade_of(&verdict, rule);
}

#define assert_heard(kind, index, rule, grade) \
	assert_int_equal(hear(kind, index, RULE_##rule), grade)

#define STORY(name) cmocka_unit_test_setup(name, begin)

#endif
