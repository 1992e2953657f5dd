/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lock-order-inversion: threads took locks in orders that form a cycle. A deadlock needs as many
 * threads as locks, each holding one of them and waiting for the next; a common lock that
 * serialises them, or a wait that succeeds, breaks the cycle.
 */
#include "../rule.h"

#define WORK_MAX 65536u /* orders examined per trigger */

static MESSAGE msg_two = {
	"{first} and {second} are taken in opposite orders: with other timing the threads "
	"deadlock: {orders}",
	{{STEP_ORDER, "{orders}"}},
};

static MESSAGE msg_circle = {
	"locks are taken in orders that form a cycle: with other timing the threads deadlock: "
	"{orders}",
	{{STEP_ORDER, "{orders}"}},
};

struct circle {
	const struct facts *facts;
	uint32_t order[ORDERS_MAX]; /* each wants the lock that the next one holds */
	uint32_t count;
	uint32_t work;
};

static const struct fact_order *at(const struct circle *circle, uint32_t i)
{
	return &circle->facts->orders[circle->order[i]];
}

static bool has_gate(const struct ev_order *ev, uint64_t lock)
{
	return lock && (ev->gate == lock || ev->gate2 == lock || ev->gate3 == lock ||
			ev->gates_more & mpsan_gate_bit(lock));
}

/* Whether a lock held at both places serialises the threads there. */
static bool are_kept_apart(const struct ev_order *one, const struct ev_order *other)
{
	return one->gates_more & other->gates_more || has_gate(one, other->gate) ||
	       has_gate(one, other->gate2) || has_gate(one, other->gate3) ||
	       has_gate(other, one->gate) || has_gate(other, one->gate2) ||
	       has_gate(other, one->gate3) || has_gate(one, other->first) ||
	       has_gate(other, one->first);
}

/* Whether `asker` would have to wait for the lock that `holder` has. */
static bool blocks(const struct ev_order *holder, const struct ev_order *asker)
{
	if (holder->first_kind == MPSAN_LOCK_RWLOCK_READ &&
	    asker->second_kind == MPSAN_LOCK_RWLOCK_READ)
		return false;
	if (holder->first_kind == MPSAN_LOCK_SEMAPHORE || holder->first_kind == MPSAN_LOCK_PYTHON)
		return (holder->first_flags | asker->second_flags) & MPSAN_LF_MUTUAL;
	return true;
}

/* Whether the last order can happen at the same time as all others of the cycle. */
static bool last_fits(const struct circle *circle)
{
	const struct fact_order *last = at(circle, circle->count - 1);

	for (uint32_t i = 0; i + 1 < circle->count; i++) {
		const struct fact_order *other = at(circle, i);

		if (other->at.tid == last->at.tid || other->ev.first == last->ev.first ||
		    are_kept_apart(&other->ev, &last->ev))
			return false;
	}
	return circle->count < 2 || blocks(&last->ev, &at(circle, circle->count - 2)->ev);
}

static bool is_closed(const struct circle *circle)
{
	const struct fact_order *last = at(circle, circle->count - 1);

	return last->ev.second == at(circle, 0)->ev.first && blocks(&at(circle, 0)->ev, &last->ev);
}

/* Whether an order was recorded before the trigger and its locks still existed then. */
static bool lock_order_inversion_counts(const struct circle *circle, uint32_t index)
{
	const struct fact_order *order = &circle->facts->orders[index];

	return index < circle->order[0] && order->at.by == at(circle, 0)->at.by &&
	       (!order->over || order->over > circle->order[0]);
}

/* Searches for the rest of a cycle of `length` orders; false: there is none. */
static bool lock_order_inversion_complete(struct circle *circle, uint32_t length)
{
	const struct fact_order *last = at(circle, circle->count - 1);
	uint32_t i = fact_order_of(circle->facts, last->at.by, last->ev.second);

	for (; i != FACT_NONE && circle->work; i = fact_order_before(circle->facts, i)) {
		circle->work--;
		if (circle->facts->orders[i].ev.first != last->ev.second ||
		    !lock_order_inversion_counts(circle, i))
			continue;
		circle->order[circle->count++] = i;
		if (last_fits(circle) &&
		    (circle->count == length ? is_closed(circle) :
					       lock_order_inversion_complete(circle, length)))
			return true;
		circle->count--;
	}
	return false;
}

/* Whether these two locks closed this cycle before, by other threads or elsewhere. */
static bool was_told(const struct circle *circle)
{
	const struct fact_order *new = at(circle, 0);
	uint32_t i = fact_order_of(circle->facts, new->at.by, new->ev.first);
	uint32_t work = WORK_MAX;

	for (; i != FACT_NONE && work--; i = fact_order_before(circle->facts, i)) {
		const struct fact_order *order = &circle->facts->orders[i];
		struct circle then = *circle;
		bool fits = true;

		if (order->ev.first != new->ev.first || order->ev.second != new->ev.second ||
		    !lock_order_inversion_counts(circle, i))
			continue;
		then.order[0] = i;
		for (then.count = 2; then.count <= circle->count && fits; then.count++)
			fits = last_fits(&then);
		then.count = circle->count;
		if (fits && is_closed(&then))
			return true;
	}
	return false;
}

void rule_lock_order_inversion(const struct facts *facts, const struct trigger *trigger,
			       struct findings *out)
{
	struct circle circle = {facts, {trigger->index}, 1, WORK_MAX};
	struct finding finding = {.rule = RULE_lock_order_inversion,
				  .grade = GRADE_WARNING,
				  .message_text = &msg_two};
	uint32_t length = 2;

	while (length <= ORDERS_MAX && !lock_order_inversion_complete(&circle, length))
		length++;
	if (length > ORDERS_MAX || was_told(&circle))
		return;
	if (length > 2)
		finding.message_text = &msg_circle;
	for (uint32_t i = 1; i < ORDERS_MAX; i++)
		finding.earlier[i - 1] = i < length ? circle.order[i] + 1 : 0;
	finding_add(out, trigger, finding);
}
