/* SPDX-License-Identifier: Apache-2.0 */
/* The table of kinds of waits. */
#include "wait_kinds.h"

#include <stddef.h>

static const struct wait_kind kinds[MPSAN_KIND_COUNT] = {
#define WAIT(kind, act, between, flow, driver, meant, call, phrase, left)         \
	[MPSAN_##kind] = {#kind,  ACT_##act,	  BETWEEN_##between, FLOW_##flow, \
			  driver, PARKED_##meant, TOLD_##call,	     phrase},
#include "waits.def"
#undef WAIT
};

const struct wait_kind *wait_kind(uint64_t kind)
{
	return &kinds[kind < MPSAN_KIND_COUNT ? kind : MPSAN_LOCK_NONE];
}
