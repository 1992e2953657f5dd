/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the sockets of ranks with those of all processes of the session. */
#include "peers.h"

#include <stdlib.h>

#include "../proc/descriptors.h"
#include "../proc/tcp_peers.h"

struct peers {
	uint64_t now_ns;
	ARRAY(uint64_t) held; /* inodes of the session's sockets, ascending */
	uint32_t here, away,
		strange; /* connections of the ranks; the last: to processes of this host */
};

static void add_held(const struct descriptor *descriptor, void *context)
{
	struct peers *peers = context;
	uint64_t inode = descriptor_socket(descriptor);

	if (inode)
		*ARRAY_ADD(&peers->held) = inode;
}

static bool is_held(const struct peers *peers, uint64_t inode)
{
	return peers->held.count &&
	       bsearch(&inode, peers->held.item, peers->held.count, sizeof(inode), compare_words);
}

static void count_connection(const struct descriptor *descriptor, void *context)
{
	struct peers *peers = context;
	uint64_t inode = descriptor_socket(descriptor), peer;
	enum tcp_reach reach = inode ? tcp_reach(inode, peers->now_ns, &peer) : TCP_NONE;

	peers->away += reach == TCP_AWAY;
	peers->here += reach == TCP_HERE && is_held(peers, peer);
	peers->strange += reach == TCP_HERE && !is_held(peers, peer);
}

bool peers_are_here(const struct snapshot *snapshot, const uint32_t *index, uint32_t count,
		    bool local)
{
	struct peers peers = {.now_ns = snapshot->now_ns};

	for (uint32_t i = 0; i < snapshot->processes.count; i++)
		descriptors_each(snapshot->processes.item[i].pid, add_held, &peers);
	if (peers.held.count)
		qsort(peers.held.item, peers.held.count, sizeof(*peers.held.item), compare_words);
	for (uint32_t i = 0; i < count; i++)
		if (index[i] != SNAPSHOT_NONE)
			descriptors_each(snapshot->threads.item[index[i]].pid, count_connection,
					 &peers);
	free(peers.held.item);
	return peers.here && !peers.strange && (local || !peers.away);
}
