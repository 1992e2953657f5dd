/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts about shared memory on the CPU: the life of each segment across processes and names. A
 * segment is identified by device and inode. tmpfs never reuses an inode; other file systems do, so
 * a segment that is created anew begins another life. The collector enters events in the order of
 * time; each takes a few steps however many there are. Neighbours: facts.h has the events; ipc.h
 * says how processes ended.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct facts;
struct fact_event;

/* Indices that end in "+ 1" are 0 if there is none. */

/* The name, path or listener that an event mentions. */
struct shm_name {
	uint64_t hash;
	uint32_t before; /* for sockets: previous event about the same path + 1 */
};

/* What is known of an event besides its fields; by event index. There are millions, and most have no name. */
struct shm_link {
	uint32_t segment; /* index + 1 */
	uint32_t before; /* previous event about the same segment + 1 */
	uint32_t name : 28; /* index into names + 1 */
	uint32_t flags : 4; /* enum shm_link_flags */
};
#define SHM_NAMES_MAX ((1u << 28) - 1)

enum shm_link_flags {
	SHM_LINK_TORCH = 1, /* the name has the form of PyTorch's */
	/* its Python frames rebuild a tensor received from another process */
	SHM_LINK_REBUILDS = 2,
	SHM_LINK_WRITER = 4, /* a writable mapping; set by shm_enter() */
	SHM_LINK_DRIVER = 8, /* the name has the form of the CUDA driver's */
};

struct shm_segment {
	uint64_t device, inode;
	uint64_t name; /* hash of the name under which it was created; 0: none */
	uint32_t made; /* the event of its creation + 1; 0: not seen */
	uint32_t first; /* the first event about it + 1 */
	uint32_t newest; /* event + 1; shm_link.before continues from there */
	uint32_t list_before, name_before; /* previous ones + 1 in the same list */
};

#define SHM_LISTS 65536u /* initially */
#define SHM_PATH_LISTS 1024u

struct shm_facts {
	struct shm_link *links; /* by event; NULL: no shared memory in this session */
	struct shm_name *names;
	struct shm_segment *segments;
	uint32_t segment_count;
	uint32_t *lists, *name_lists,
		*path_lists; /* newest + 1; both have SHM_LISTS << doubled entries */
	uint32_t doubled;
	bool *locks; /* by slot: it uses a process-shared lock */
};

/*
 * Adds the event of that index, whose link has its name and flags set. There must be room for one
 * more segment.
 */
void shm_enter(struct shm_facts *shm, const struct fact_event *events, uint32_t event);

/*
 * Moves all segments into new, empty arrays with twice as many lists, which replace the old ones.
 */
void shm_double_lists(struct shm_facts *shm, uint32_t *lists, uint32_t *name_lists);

/* Index + 1 of the newest segment with that device and inode, or created under that name. */
uint32_t shm_find(const struct shm_facts *shm, uint64_t device, uint64_t inode);
uint32_t shm_find_name(const struct shm_facts *shm, uint64_t name);
/* The newest event of that type, before `event`, about its path: index + 1. */
uint32_t shm_find_path(const struct facts *facts, uint32_t event, uint32_t type);

/* Iterates over the events about a segment, newest first. */
#define EACH_SHM_EVENT(facts, segment_index, at)                                   \
	for (uint32_t at = (facts)->shm.segments[segment_index].newest, at##_next; \
	     at && (at##_next = (facts)->shm.links[at - 1].before, true); at = at##_next)

/* The link of an event; an empty link if there is no shared memory. */
const struct shm_link *shm_link_of(const struct facts *facts, uint32_t event);
/* Hash of the name, path or listener in the event; 0: none. */
uint64_t shm_name_of(const struct facts *facts, uint32_t event);
/* Index + 1 of the segment of the triggering event. */
uint32_t shm_segment_of(const struct facts *facts, uint32_t event);

/* The event of its creation; NULL: not seen. */
const struct fact_event *shm_made(const struct facts *facts, uint32_t segment);
/* The slot of the process that created it; FACT_NONE: unknown. */
uint32_t shm_maker(const struct facts *facts, uint32_t segment);
/* The size its creator gave it, else the largest that others saw. */
uint64_t shm_bytes(const struct facts *facts, uint32_t segment);
/* Whether PyTorch created it for a tensor, rather than the program itself. */
bool shm_is_torch(const struct facts *facts, uint32_t segment);
/* Whether the CUDA driver created it. */
bool shm_is_driver(const struct facts *facts, uint32_t segment);

/* When a mapping ended, by munmap or with its process; 0: still mapped. */
uint64_t shm_unmap_ns(const struct facts *facts, const struct fact_event *map);
/*
 * Whether a process other than `but` had it mapped at that time: the event of the mapping + 1.
 * FACT_NONE as `but`: any process.
 */
uint32_t shm_mapped(const struct facts *facts, uint32_t segment, uint64_t time_ns, uint32_t but);

/* It was killed: the time of its end was observed from outside, slightly late. */
bool shm_was_killed(const struct facts *facts, uint32_t slot);
/* Whether it had ended by that time. */
bool shm_has_ended(const struct facts *facts, uint32_t slot, uint64_t time_ns);

/* Whether a name has the form of PyTorch's. */
bool shm_name_is_torch(const char *name);
/*
 * Whether it has the form of the CUDA driver's, cuda.shm.UID.PID.N: made with the first interprocess
 * event of a process, and never unlinked, however the process ends (seen with driver 580).
 */
bool shm_name_is_driver(const char *name);
/* A name without its directory, and the hash of that, never 0. */
const char *shm_name_bare(const char *name);
uint64_t shm_name_hash(const char *name);
