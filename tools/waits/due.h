/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When time ends the wait of a thread, or lets it do something: by a limit or sleep, by a timer that it waits for, or by a
 * handler or thread for which one is set. Neighbour: waits.h says who else could end it.
 */
#pragma once

#include "waits.h"

struct due {
	bool is;
	bool sleeps; /* it only lets time pass, as far as that is concerned */
	bool once; /* whatever it did before, it does something else then */
	uint64_t at_ns; /* 0: unknown */
};

struct due due_of(struct waits *waits, uint32_t thread);
