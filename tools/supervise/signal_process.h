/*
 * Signals for processes of a session, those of other pid namespaces included, which have other numbers here. A process
 * that may be another by now gets none. Neighbours: session.h, watch.h.
 */
#ifndef MPSAN_SIGNAL_PROCESS_H
#define MPSAN_SIGNAL_PROCESS_H

#include "../reader/session.h"

/* Sends a signal (0: none) to the process of a slot: false when it is not there, or nobody can tell. */
bool summon(const struct session *session, uint32_t slot, int number);
/* The same for any process that started at that time, in ticks; false also when we may not signal it. */
bool summon_process(uint32_t pid, uint64_t start, int number);

#endif
