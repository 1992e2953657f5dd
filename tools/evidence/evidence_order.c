/* SPDX-License-Identifier: Apache-2.0 */
/* Steps and sentences of lock-order inversions. */
#include "evidence_order.h"

#include <string.h>

#include "../base/jsontext.h"
#include "text_locks.h"

/* The orders of the finding's cycle, starting with the one that closed it. */
static const struct fact_order *order_at(const struct evidence_context *ctx,
					 const struct finding *finding, uint32_t i)
{
	const struct facts *facts = &ctx->reader->facts;
	uint32_t index = (i ? finding->earlier[i - 1] : finding->order) - 1;

	return index < facts->order_count ? &facts->orders[index] : NULL;
}

#define EACH_ORDER(ctx, finding, order)                                                      \
	for (uint32_t i_ = 0; i_ < ORDERS_MAX; i_++)                                         \
		for (const struct fact_order *order = order_at((ctx), (finding), i_); order; \
		     order = NULL)

static void order_callsite(const struct evidence_context *ctx, const struct fact_order *order,
			   struct callsite *callsite)
{
	callsite_init(ctx, callsite, &order->at, order->at.tid, order->ev.stack, order->ev.python);
	callsite_locate(ctx, callsite, order->ev.second_caller,
			order->ev.second_flags & MPSAN_LF_PYTHON);
}

typedef char *lock_describer(const struct reader *, struct frames *, const struct lock_ref *);

/*
 * A lock without a name is named by the place of its initialisation, which is passed in a `held`
 * event.
 */
static char *name_of(const struct evidence_context *ctx, const struct fact_order *order, bool first,
		     lock_describer *tell)
{
	const struct ev_order *ev = &order->ev;
	struct fact_held made = {.at = order->at,
				 .ev.init = first ? ev->first_init : ev->second_init};
	struct lock_ref lock = {.at = &order->at,
				.held = &made,
				.address = first ? ev->first : ev->second,
				.kind = first ? ev->first_kind : ev->second_kind,
				.flags = first ? ev->first_flags : ev->second_flags};

	return tell(ctx->reader, ctx->frames, &lock);
}

char *order_first(const struct evidence_context *ctx, const struct fact_order *order)
{
	return name_of(ctx, order, true, lock_text);
}

char *order_second(const struct evidence_context *ctx, const struct fact_order *order)
{
	return name_of(ctx, order, false, lock_text);
}

/* Where the first lock was acquired; "" if unknown, as in Python. */
static char *taken_text(const struct evidence_context *ctx, const struct fact_order *order)
{
	json_auto_t *frame = NULL;
	AUTO_FREE char *where = NULL;

	if (!order->ev.first_caller || order->ev.first_flags & MPSAN_LF_PYTHON)
		return text_copy("");
	frame = frame_of_caller(ctx->frames, &order->at, order->ev.first_caller);
	where = frame_text(frame);
	return where ? text_format(", taken at %s", where) : text_copy("");
}

static char *clause(const struct evidence_context *ctx, const struct fact_order *order,
		    const struct callsite *callsite, bool full)
{
	AUTO_FREE char *actor = callsite_actor(callsite), *first = order_first(ctx, order),
		       *second = order_second(ctx, order),
		       *taken = full ? taken_text(ctx, order) : text_copy("");

	return text_format("%s took %s at %s while it held %s%s", actor ? actor : "a thread",
			   second, callsite->where ? callsite->where : "an unknown place", first,
			   taken);
}

static void add_locks(const struct evidence_context *ctx, const struct fact_order *order,
		      json_t *step)
{
	AUTO_FREE char *first = order_first(ctx, order), *second = order_second(ctx, order);

	json_object_set_new(step, "first", jsontext_of(first));
	json_object_set_new(step, "second", jsontext_of(second));
}

void orders_steps(const struct evidence_context *ctx, const struct finding *finding, json_t *steps)
{
	EACH_ORDER(ctx, finding, order) {
		struct callsite callsite;
		AUTO_FREE char *text = NULL;

		order_callsite(ctx, order, &callsite);
		text = clause(ctx, order, &callsite, true);
		json_array_append_new(steps,
				      callsite_step(ctx, &callsite, STEP_ORDER, jsontext_of(text)));
		add_locks(ctx, order, json_array_get(steps, json_array_size(steps) - 1));
		callsite_finish(&callsite);
	}
}

char *orders_text(const struct evidence_context *ctx, const struct finding *finding)
{
	char *list = text_copy("");

	EACH_ORDER(ctx, finding, order) {
		struct callsite callsite;

		order_callsite(ctx, order, &callsite);
		list = text_join(list, "; ", clause(ctx, order, &callsite, false));
		callsite_finish(&callsite);
	}
	return list;
}

char *orders_key(const struct evidence_context *ctx, const struct finding *finding)
{
	char *list = text_copy("");

	EACH_ORDER(ctx, finding, order)
		list = text_join(list, " ", name_of(ctx, order, true, lock_key));
	return list;
}

void orders_hash(const struct evidence_context *ctx, const struct finding *finding, uint64_t *hash)
{
	uint64_t sum = 0;

	EACH_ORDER(ctx, finding, order) {
		AUTO_FREE char *key = name_of(ctx, order, true, lock_key);
		uint64_t one = HASH_EMPTY;
		struct callsite callsite;

		order_callsite(ctx, order, &callsite);
		callsite_hash_text(&one, key);
		callsite_hash(&one, &callsite);
		callsite_finish(&callsite);
		sum += one;
	}
	*hash = hash_add(*hash, sum);
}
