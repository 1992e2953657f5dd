/*
 * Facts about shared memory on the CPU: the life of every segment over all processes and names. A
 * segment is known by device and inode; files in memory never use an inode twice, others do, so a
 * segment that is made anew begins another life. Whoever collects enters acts in the order of time, each in
 * a few steps however many there are. Neighbours: facts.h has the acts themselves; ipc.h says how
 * processes ended.
 */
#ifndef MPSAN_CORE_SHM_H
#define MPSAN_CORE_SHM_H

#include <stdbool.h>
#include <stdint.h>

struct facts;
struct fact_event;

/* Indices that end in "+ 1" are 0 where there is none. */

/* What is known of an act beside its fields; by the act's index. */
struct shm_link {
	uint64_t name; /* of the name, path or listener that it mentions: a hash; 0: none */
	uint32_t segment; /* index + 1 */
	uint32_t before; /* earlier act about the same segment + 1 */
	uint32_t name_before; /* of sockets: earlier act about the same path + 1 */
	uint32_t flags; /* enum shm_link_flags */
};

enum shm_link_flags {
	SHM_LINK_TORCH = 1, /* the name is one that PyTorch makes up */
	SHM_LINK_REBUILDS = 2, /* Python frames: a tensor is fetched from who sent it */
	SHM_LINK_WRITER = 4, /* a mapping for writing; shm_enter() notes it */
};

struct shm_segment {
	uint64_t device, inode;
	uint64_t name; /* hash of the name under which it was made; 0: none */
	uint32_t made; /* the act of its maker + 1; 0: nobody was seen to make it */
	uint32_t first; /* the first act about it + 1 */
	uint32_t newest; /* act + 1; shm_link.before goes on from there */
	uint32_t list_before, name_before; /* earlier ones + 1 in the same list */
};

#define SHM_LISTS 65536u /* at first */
#define SHM_PATH_LISTS 1024u

struct shm_facts {
	struct shm_link *links; /* by act; NULL: no shared memory in this session */
	struct shm_segment *segments;
	uint32_t segment_count;
	uint32_t *lists, *name_lists,
		*path_lists; /* newest + 1; the first two: SHM_LISTS << doubled */
	uint32_t doubled;
	bool *locks; /* by slot: it has a lock that others have, too */
};

/*
 * Takes in the act of that index, whose link has its name and flags. There must be room for one
 * more segment.
 */
void shm_enter(struct shm_facts *shm, const struct fact_event *events, uint32_t event);

/* Moves all segments into twice as many lists, which are empty and replace those that there are. */
void shm_double_lists(struct shm_facts *shm, uint32_t *lists, uint32_t *name_lists);

/* Index + 1 of the newest segment of that device and inode, or made under that name. */
uint32_t shm_find(const struct shm_facts *shm, uint64_t device, uint64_t inode);
uint32_t shm_find_name(const struct shm_facts *shm, uint64_t name);
/* The newest act about that path before `act`, of that type: index + 1. */
uint32_t shm_find_path(const struct facts *facts, uint32_t event, uint32_t type);

/* Goes through the acts about a segment, newest first. */
#define EACH_SHM_EVENT(facts, segment_index, at)                                   \
	for (uint32_t at = (facts)->shm.segments[segment_index].newest, at##_next; \
	     at && (at##_next = (facts)->shm.links[at - 1].before, true); at = at##_next)

/* The link of an act; a link without anything when there is no shared memory. */
const struct shm_link *shm_link_of(const struct facts *facts, uint32_t event);
/* Index + 1 of the segment of the act that is a moment. */
uint32_t shm_segment_of(const struct facts *facts, uint32_t event);

/* The act that made it; NULL: nobody was seen to. */
const struct fact_event *shm_made(const struct facts *facts, uint32_t segment);
/* The slot of its maker; FACT_NONE. */
uint32_t shm_maker(const struct facts *facts, uint32_t segment);
/* What its maker gave it, else what others saw of it. */
uint64_t shm_bytes(const struct facts *facts, uint32_t segment);
/* It was made by PyTorch for a tensor, not by the program itself. */
bool shm_is_torch(const struct facts *facts, uint32_t segment);

/* When a mapping ended, by call or with its process; 0: it lasts. */
uint64_t shm_unmap_ns(const struct facts *facts, const struct fact_event *map);
/*
 * Whether a process other than `but` had it mapped at that time: the act of the mapping + 1. FACT_NONE
 * as `but`: anybody.
 */
uint32_t shm_mapped(const struct facts *facts, uint32_t segment, uint64_t time_ns, uint32_t but);

/* Whether `slot` is `other` or a process from which it stems. */
bool shm_is_ancestor(const struct facts *facts, uint32_t slot, uint32_t other);
/* It did not end by itself: when that was is known from outside, a little later. */
bool shm_was_killed(const struct facts *facts, uint32_t slot);
/* Whether its end was before that time. */
bool shm_has_ended(const struct facts *facts, uint32_t slot, uint64_t time_ns);

/* Whether a name is one of PyTorch's; names are as the program gave them. */
bool shm_name_is_torch(const char *name);
/* A name without the folder, and its hash, never 0. */
const char *shm_name_bare(const char *name);
uint64_t shm_name_hash(const char *name);

#endif
