/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared-file-offset: two processes share an open file description since a fork, and interfere:
 * both move the offset of a regular file, or both use one connection. Each recorded use is compared
 * with those of the parent, the children and the siblings that were alive then.
 */
#include "../rule.h"

#define USES (MPSAN_OFFSET_READ | MPSAN_OFFSET_WRITE)

static const char other_used[] = "{cause_who} also used it, as descriptor {cause_fd}";

static MESSAGE msg_file = {
	"{who} and {cause_who} share one offset in {name} (descriptor {fd}) since a fork, and both "
	"use it, at {at} and {cause_at}: a seek by one moves the other",
	{{STEP_CAUSE, other_used}, {STEP_EVENT, "{who} uses the same open file description"}},
};

static MESSAGE msg_mixed = {
	"{who} and {cause_who} both had a request in progress over one {name} (descriptor {fd}), "
	"shared since a fork, at {at} and {cause_at}: each may get the other's reply",
	{{STEP_CAUSE, other_used}, {STEP_EVENT, "{who} read the next reply"}},
};

static MESSAGE msg_stream = {
	"{who} and {cause_who} both read from one {name} (descriptor {fd}), shared since a fork, "
	"at {at} and {cause_at}: what one reads the other misses",
	{{STEP_CAUSE, other_used}, {STEP_EVENT, "{who} uses the same connection"}},
};

static MESSAGE msg_writers = {
	"{who} and {cause_who} both write to one {name} (descriptor {fd}), shared since a fork, at "
	"{at} and {cause_at}: their data may interleave",
	{{STEP_CAUSE, other_used}, {STEP_EVENT, "{who} writes to the same connection"}},
};

#define ACTS_BACK 8192u /* limit on the recorded uses examined */

#define GATES 2

/* The uses of one file by a process, and the newest event's index. */
struct uses {
	uint32_t what, event;
	uint64_t with; /* PID of the parent, once proven to have it, too */
	uint64_t asked_ns, read_ns; /* the newest read, and the last write before it; 0: none */
	uint64_t gate[GATES]; /* locks that were held over all of them */
};

static bool same_file(const struct fact_event *a, const struct fact_event *b)
{
	const struct ev_offset_used *x = EVENT_AS(a, offset_used), *y = EVENT_AS(b, offset_used);

	return x->inode == y->inode && x->device == y->device && x->kind == y->kind &&
	       (x->kind == MPSAN_OFFSET_STREAM || x->fd == y->fd);
}

static bool has_gate(const uint64_t *gates, uint64_t gate)
{
	return gate && (gates[0] == gate || gates[1] == gate);
}

static void add_use(struct uses *uses, const struct facts *facts, uint32_t at)
{
	const struct ev_offset_used *ev = EVENT_AS(&facts->events[at], offset_used);
	const uint64_t gates[GATES] = {ev->gate, ev->gate2};

	for (unsigned i = 0; i < GATES; i++)
		if (uses->event == FACT_NONE || !has_gate(gates, uses->gate[i]))
			uses->gate[i] = uses->event == FACT_NONE ? gates[i] : 0;
	uses->event = uses->event == FACT_NONE ? at : uses->event;
	uses->what |= (uint32_t)ev->what;
	uses->with = ev->with ? ev->with : uses->with;
	if (ev->what & MPSAN_OFFSET_READ && !uses->read_ns) {
		uses->read_ns = event_time(&facts->events[at]);
		uses->asked_ns = ev->asked;
	}
}

/* The uses by `slot` since `from_ns` of the file of `event`, from events before number `end`. */
static struct uses uses_of(const struct facts *facts, uint32_t slot, uint32_t event,
			   uint64_t from_ns, uint32_t end)
{
	struct uses uses = {.event = FACT_NONE};
	uint32_t at = fact_event_of(facts, slot, EV_offset_used, FACT_NONE);

	for (uint32_t i = 0; at != FACT_NONE && i < ACTS_BACK;
	     i++, at = fact_event_of(facts, slot, EV_offset_used, at)) {
		const struct fact_event *a = &facts->events[at];

		if (event_time(a) < from_ns)
			break;
		if (at < end && same_file(a, &facts->events[event]))
			add_use(&uses, facts, at);
	}
	return uses;
}

static uint64_t shared_file_offset_pid_of(const struct facts *facts, uint32_t slot)
{
	return facts->processes[slot].slot->pid;
}

static bool is_child(const struct facts *facts, uint32_t slot, uint32_t parent)
{
	return facts->processes[slot].slot->parent == parent + 1;
}

/* Whether a child's file is proven to be its parent's. For a socket its inode is proof enough. */
static bool is_parents(const struct facts *facts, const struct uses *child, uint32_t parent)
{
	return EVENT_AS(&facts->events[child->event], offset_used)->kind == MPSAN_OFFSET_STREAM ||
	       child->with == shared_file_offset_pid_of(facts, parent);
}

static bool shared_file_offset_share(const struct facts *facts, uint32_t a, const struct uses *of_a,
				     uint32_t b, const struct uses *of_b)
{
	uint32_t parent = facts->processes[a].slot->parent;

	if (is_child(facts, a, b))
		return is_parents(facts, of_a, b);
	if (is_child(facts, b, a))
		return is_parents(facts, of_b, a);
	return parent && parent == facts->processes[b].slot->parent &&
	       is_parents(facts, of_a, parent - 1) && is_parents(facts, of_b, parent - 1);
}

static bool shared_file_offset_is_there(const struct fact_process *process, uint64_t now_ns)
{
	return !(process->gone && process->gone_ns <= now_ns) &&
	       !(process->slot->end_ns && process->slot->end_ns <= now_ns) &&
	       !(process->exec_ns && process->exec_ns <= now_ns);
}

/* The time from which uses count: for parent and child, since the fork. */
static uint64_t together_since(const struct facts *facts, uint32_t a, uint32_t b)
{
	return is_child(facts, a, b) ? fact_made_ns(facts, a) :
	       is_child(facts, b, a) ? fact_made_ns(facts, b) :
				       0;
}

static bool are_related(const struct facts *facts, uint32_t a, uint32_t b)
{
	uint32_t parent = facts->processes[a].slot->parent;

	return is_child(facts, a, b) || is_child(facts, b, a) ||
	       (parent && parent == facts->processes[b].slot->parent);
}

/* Whether each had asked, and asked nothing more, before either read its answer. */
static bool are_mixed(const struct uses *a, const struct uses *b)
{
	uint64_t answered = a->read_ns < b->read_ns ? a->read_ns : b->read_ns;

	return a->asked_ns && b->asked_ns && a->asked_ns < answered && b->asked_ns < answered;
}

/* Whether both did all under the same lock, from each request to its answer, and from each seek to what followed. */
static bool take_turns(const struct uses *a, const struct uses *b)
{
	return has_gate(a->gate, b->gate[0]) || has_gate(a->gate, b->gate[1]);
}

static enum grade shared_file_offset_grade_of(uint64_t kind, const struct uses *a,
					      const struct uses *b)
{
	uint32_t both = a->what & b->what;

	if (kind == MPSAN_OFFSET_STREAM && are_mixed(a, b))
		return GRADE_ERROR;
	if (take_turns(a, b))
		return GRADE_OFF;
	if (kind == MPSAN_OFFSET_FILE)
		return a->what & USES && b->what & USES && (a->what | b->what) & MPSAN_OFFSET_MOVE ?
			       GRADE_WARNING :
			       GRADE_OFF;
	return both & MPSAN_OFFSET_READ	 ? GRADE_WARNING :
	       both & MPSAN_OFFSET_WRITE ? GRADE_NOTE :
					   GRADE_OFF;
}

struct meeting {
	enum grade before, now; /* without the event of the trigger, and with it */
	uint32_t other; /* event */
};

static struct meeting meet(const struct facts *facts, uint32_t event, uint32_t other)
{
	uint32_t self = facts->events[event].by;
	uint64_t since, kind = EVENT_AS(&facts->events[event], offset_used)->kind;
	struct meeting meeting = {GRADE_OFF, GRADE_OFF, FACT_NONE};
	struct uses theirs, mine;

	if (!are_related(facts, self, other) ||
	    !shared_file_offset_is_there(&facts->processes[other],
					 event_time(&facts->events[event])))
		return meeting;
	since = together_since(facts, self, other);
	theirs = uses_of(facts, other, event, since, event);
	if (theirs.event == FACT_NONE)
		return meeting;
	mine = uses_of(facts, self, event, since, event + 1);
	if (!shared_file_offset_share(facts, self, &mine, other, &theirs))
		return meeting;
	meeting.now = shared_file_offset_grade_of(kind, &mine, &theirs);
	meeting.other = theirs.event;
	mine = uses_of(facts, self, event, since, event);
	meeting.before = shared_file_offset_grade_of(kind, &mine, &theirs);
	return meeting;
}

static const struct message_text *msg_of(const struct fact_event *event, enum grade grade)
{
	if (EVENT_AS(event, offset_used)->kind == MPSAN_OFFSET_FILE)
		return &msg_file;
	return grade == GRADE_ERROR   ? &msg_mixed :
	       grade == GRADE_WARNING ? &msg_stream :
					&msg_writers;
}

/* Reports the first conflict of each process over a file, and any that is worse. */
void rule_shared_file_offset(const struct facts *facts, const struct trigger *trigger,
			     struct findings *out)
{
	const struct fact_event *event = &facts->events[trigger->index];
	enum grade before = GRADE_OFF;
	struct meeting worst = {GRADE_OFF, GRADE_OFF, FACT_NONE};

	if (event->type != EV_offset_used)
		return;
	for (uint32_t slot = 0; slot < facts->process_count; slot++) {
		struct meeting meeting = slot == event->by ? worst :
							     meet(facts, trigger->index, slot);

		before = meeting.before > before ? meeting.before : before;
		worst = meeting.now > worst.now ? meeting : worst;
	}
	if (worst.now > before)
		FIND_EVENT(out, shared_file_offset, worst.now, trigger, msg_of(event, worst.now),
			   .cause = worst.other + 1);
}
