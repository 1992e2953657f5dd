/*
 * Names of shared memory: by which name, if any, could a process that does not have it yet come to it?
 * Neighbour: memory_reach.h asks, beside who has it already.
 */
#ifndef MPSAN_MEMORY_NAMES_H
#define MPSAN_MEMORY_NAMES_H

#include "../proc/proc.h"

enum links {
	LINKS_NONE, /* its last name was removed, or it never had one */
	LINKS_OF_JOB, /* one that only the job's own processes are told */
	/* a file's path, a System V segment's key or id; also where that is not known */
	LINKS_OF_ALL,
};

/*
 * The memory that process `pid` maps there, as it is now, and as all whom we can see do `mapped` times. Names that the process itself could see
 * count, in its mount namespace. Where the kernel does not tell how many links a file has, they are looked
 * for: on all of a tmpfs, elsewhere beside the name that the file had when it was opened.
 */
enum links memory_names_of(uint32_t pid, const struct proc_mapping *mapping, uint64_t mapped);

/* Memory of which there are no descriptors: anonymous, or a System V segment. */
bool memory_names_has_no_descriptor(const struct proc_mapping *mapping);

#endif
