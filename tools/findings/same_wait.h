/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether two findings are about one wait: a long wait without a proof is told, and later its proof.
 * Neighbour: judge.h.
 */
#pragma once

#include "../rules/rule.h"

/* Whether the thread that a `hang` is about stands in the same wait in the other finding, too. */
bool same_wait(const struct facts *facts, const struct finding *hang, const struct finding *other);
