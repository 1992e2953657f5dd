/*
 * `mpsan ps --memory`: the shared memory of a session as it is now: who made each segment and where,
 * who has it mapped or open, under which name. Neighbours: ps.h; tools/facts/shm.h has the ledger.
 */
#ifndef MPSAN_PS_MEMORY_H
#define MPSAN_PS_MEMORY_H

#include "ps.h"

/*
 * The document:
 *
 *   schema     "mpsan.ps-memory/1"
 *   session, live, time_ns    as in mpsan.ps/1
 *   made       {segments, bytes} of all that was made since the start
 *   segments   those that are there, the largest first: [{name, names (in one line), bytes, device, inode, tensor,
 *               linked, made: null or {pid, who, time_ns, at}, mappers: [{pid, who, bytes}],
 *               holders: [{pid, who}], sent, received, removed_by}]
 *              tensor: PyTorch made it. linked: the name is there. mappers: who has it mapped now, by
 *              /proc. holders: who has it open without a mapping. sent and received: how often its descriptor was.
 *              removed_by: null, or who removed the name without having made it
 *   hidden     processes of the session that may not be looked into
 *
 * A segment is there when a process of the session has it mapped or open, or its name is there.
 */
json_t *ps_memory_document(struct ps *ps);

/*
 * The same for a session that is looked at again and again: nothing is settled before its time, so the ledger is
 * a moment behind, and what the rules will find stays what a report finds.
 */
json_t *ps_memory_look(struct ps *ps);
void ps_memory_print(FILE *out, const json_t *document);
void ps_memory_print_segment(FILE *out, const json_t *segment, long long now_ns);

#endif
