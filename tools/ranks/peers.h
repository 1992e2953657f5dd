/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether ranks have peers that were not looked at: on other hosts, or in other trees of processes.
 * Neighbour: ../proc/tcp_peers.h has the connections.
 */
#pragma once

#include "../waits/snapshot.h"

/*
 * Whether these ranks, by their main threads (SNAPSHOT_NONE: none), have connections, all of which end in
 * processes of the session. `local`: the job is known to be on this host, and others do not count.
 */
bool peers_are_here(const struct snapshot *snapshot, const uint32_t *index, uint32_t count,
		    bool local);
