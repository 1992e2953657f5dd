/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `mpsan ps --memory`: the shared memory of a session at this moment: who created each segment and
 * where, who has it mapped or open, under which name. Neighbours: ps.h; tools/facts/shm.h has the
 * facts.
 */
#pragma once

#include "ps.h"

/*
 * The document:
 *
 *   schema     "mpsan.ps-memory/1"
 *   session, live, time_ns    as in mpsan.ps/1
 *   made       {segments, bytes} of all that were created since the start
 *   segments   those that exist, the largest first: [{name, names (in one line), bytes, device, inode, tensor,
 *               linked, made: null or {pid, who, time_ns, at}, mappers: [{pid, who, bytes}],
 *               holders: [{pid, who}], sent, received, removed_by}]
 *              tensor: created by PyTorch. linked: the name exists. mappers: who has it mapped now, by
 *              /proc. holders: who has it open without a mapping. sent and received: how often its descriptor was.
 *              removed_by: null, or who unlinked the name without having created it
 *   hidden     processes of the session that cannot be read
 *
 * A segment exists if a process of the session has it mapped or open, or if its name exists.
 */
json_t *ps_memory_document(struct ps *ps);

/*
 * The document for a session that is examined repeatedly: events are not settled early, so it lags
 * slightly, and the rules find the same as in a report.
 */
json_t *ps_memory_look(struct ps *ps);
void ps_memory_print(FILE *out, const json_t *document);
void ps_memory_print_segment(FILE *out, const json_t *segment, long long now_ns);
