/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits that somebody outside could end, so that they are never part of a proof, but in which the processes of a job seem to
 * wait for each other: for signals, for a FIFO to be opened, for data from FIFOs; and for descriptors that are closed.
 */
#pragma once

#include "../waits/waits.h"

enum peer_waits {
	PEER_WAITS_CLOSED = 1, /* a thread waits for a descriptor that its process has closed */
	PEER_WAITS_SERVE = 2, /* somebody outside may be meant to end one: see wait.may_serve */
};

/* Gives such waits of a job at rest their kinds; enum peer_waits bits. */
unsigned peer_waits_find(struct waits *waits);

/* Whether a process handles what ends services. */
bool peer_waits_any_serves(const struct waits *waits);

/* Whether a thread runs a hub of greenlets that somebody outside may wake. */
bool peer_waits_serve_hub(const struct waits *waits, uint32_t thread);
