/*
 * The part of a story that tells of lock orders: who took which lock while holding which.
 * Neighbours: evidence.h, callsite.h; the library stated the facts (shim/locks/lock_order.c).
 */
#ifndef MPSAN_EVIDENCE_ORDER_H
#define MPSAN_EVIDENCE_ORDER_H

#include "callsite.h"

/* Appends a step for each order of the finding's circle. */
void orders_steps(const struct evidence_context *ctx, const struct finding *finding, json_t *steps);

/* "thread A took X at … while it held Y; thread B took Y at … while it held X". */
char *orders_text(const struct evidence_context *ctx, const struct finding *finding);

/* The first and the second lock of an order, as a sentence calls them. */
char *order_first(const struct evidence_context *ctx, const struct fact_order *order);
char *order_second(const struct evidence_context *ctx, const struct fact_order *order);

/* Names of all locks of the circle, with blanks between them, for suppressions. */
char *orders_key(const struct evidence_context *ctx, const struct finding *finding);

/* What is the same in every run, whichever order came last. */
void orders_hash(const struct evidence_context *ctx, const struct finding *finding, uint64_t *hash);

#endif
