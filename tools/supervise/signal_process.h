/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends signals to processes of a session. A process that may be another by now gets none. Neighbours:
 * session.h, watch.h.
 */
#pragma once

#include "../reader/session.h"

/*
 * Sends a signal (0: none) to the process of a slot; false if it has ended or cannot be identified.
 */
bool signal_send(const struct session *session, uint32_t slot, int number);
/*
 * Sends a signal to the process with that pid and start time, in ticks; false also without
 * permission.
 */
bool signal_send_process(uint32_t pid, uint64_t start, int number);
