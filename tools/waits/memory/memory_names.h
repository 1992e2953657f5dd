/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of shared memory: by which name, if any, could a process open memory that it does not have
 * yet? Neighbour: memory_reach.h calls, and finds who has it already.
 */
#pragma once

#include "../../proc/proc.h"

enum links {
	LINKS_NONE, /* unlinked, or never named */
	LINKS_OF_JOB, /* a name that only processes of the job are told */
	/* a file path, System V key or id; also if unknown */
	LINKS_OF_ALL,
};

/*
 * The names of the memory that process `pid` maps there; all processes that we can see map it
 * `mapped` times. Counts names in the process's mount namespace. If the kernel does not report the
 * link count, names are searched: in all of a tmpfs, elsewhere in the directory in which the file
 * was opened.
 */
enum links memory_names_of(uint32_t pid, const struct proc_mapping *mapping, uint64_t mapped);

/* Whether the memory has no descriptors: anonymous, or a System V segment. */
bool memory_names_has_no_descriptor(const struct proc_mapping *mapping);
