/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that take turns, as the workers of a server do: one waits for what is sent, under a lock that
 * the others wait for at the same place of the program.
 */
#pragma once

#include "../waits/waits.h"

/* Whether this thread waits for its turn, and the one before it for what is sent. Reads frames. */
bool turns_are_taken(const struct waits *waits, uint32_t index);
