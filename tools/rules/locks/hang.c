/*
 * hang: a wait that lasts far beyond its time. Somebody could still end it, so it is no proof: the
 * rule tells what is known. Or nobody could, and it seems to be meant so: a note.
 */
#include "../deadlock.h"
#include "../rule.h"

static MESSAGE message_text = {
	"{thread} of process {pid} has waited for {since} s at {wait_at}: {deadlock}",
	{STEP_ALL_BLOCKED},
};

static MESSAGE msg_parked = {
	"{thread} of process {pid} has waited for {since} s at {wait_at}, and nobody in the job could end "
	"that; as nobody was seen who was ever meant to, it seems to wait for a signal from outside: {deadlock}",
	{STEP_ALL_BLOCKED},
};

void rule_hang(const struct facts *facts, const struct trigger *trigger, struct findings *out)
{
	const struct fact_deadlock *deadlock = &facts->deadlocks[trigger->index];

	if (deadlock_rule(facts, deadlock) != RULE_hang)
		return;
	if (deadlock_sufferer(facts, deadlock)->ev.flags & MPSAN_LF_PARKED)
		FIND(out, hang, GRADE_NOTE, trigger, FACT_NONE, FACT_NONE, &msg_parked);
	else
		FIND(out, hang, GRADE_WARNING, trigger, FACT_NONE, FACT_NONE, &message_text);
}
