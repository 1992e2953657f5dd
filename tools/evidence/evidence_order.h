/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The part of a finding's evidence about lock orders: which thread took which lock while holding
 * which. Neighbours: evidence.h, callsite.h; the library records the facts
 * (shim/locks/lock_order.c).
 */
#pragma once

#include "callsite.h"

/* Appends a step for each order of the finding's cycle. */
void orders_steps(const struct evidence_context *ctx, const struct finding *finding, json_t *steps);

/*
 * "thread A took X at … while it held Y; thread B took Y at … while it held X". The caller frees
 * it.
 */
char *orders_text(const struct evidence_context *ctx, const struct finding *finding);

/* Names of the first and the second lock of an order in a sentence. The caller frees them. */
char *order_first(const struct evidence_context *ctx, const struct fact_order *order);
char *order_second(const struct evidence_context *ctx, const struct fact_order *order);

/* Names of all locks of the cycle, separated by blanks, for suppressions. The caller frees it. */
char *orders_key(const struct evidence_context *ctx, const struct finding *finding);

/* Mixes what is equal in every run into the fingerprint, whichever order came last. */
void orders_hash(const struct evidence_context *ctx, const struct finding *finding, uint64_t *hash);
