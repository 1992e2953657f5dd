/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the peers of Unix sockets with unread descriptors. */
#include "in_flight.h"

#include "proc.h"
#include "unix_diag.h"

struct search {
	const struct unix_ends *ends;
	const struct flight_job *job;
	bool found;
};

static void see_descriptor(const struct descriptor *descriptor, void *context)
{
	struct search *search = context;
	uint64_t inode = descriptor_socket(descriptor);

	for (uint32_t i = 0; inode && i < search->ends->count; i++)
		search->found |= search->ends->inode[i] == inode;
}

static void see_process(uint32_t pid, void *context)
{
	struct search *search = context;

	if (!search->found && proc_descends(pid, search->job->is_ours, search->job->context))
		search->found |= !descriptors_each(pid, see_descriptor, search);
}

/* A socket without a peer and without pending connections had one when it received the descriptors. */
bool flight_may_be_ours(uint64_t inode, const struct flight_job *job)
{
	struct unix_ends ends;
	struct search search = {&ends, job, false};

	if (!unix_diag_ends(inode, &ends) || !ends.count)
		ends.unknown = true;
	if (ends.unknown && job->sends)
		return true;
	if (ends.count)
		proc_each(see_process, &search);
	return search.found;
}
