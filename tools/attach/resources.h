/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What processes use up: descriptors, mappings, /dev/shm. The library counts them as they come; from
 * outside they are counted once, and recorded as the same events. Neighbour: ../supervise/ has the
 * monitors that need no library.
 */
#pragma once

#include "../waits/watchlog.h"

/* Records what the living processes of the session are short of. */
void resources_state(const struct reader *reader, struct watchlog *log);
