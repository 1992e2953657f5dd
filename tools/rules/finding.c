/* SPDX-License-Identifier: Apache-2.0 */
/* Completes a finding with the subject of its trigger, and adds it. */
#include "rule.h"

void finding_add(struct findings *out, const struct trigger *trigger, struct finding finding)
{
	finding.trigger = *trigger;
	finding.wait = trigger->kind == TRIGGER_WAIT ? trigger->index + 1 : 0;
	finding.unlock = trigger->kind == TRIGGER_UNLOCK ? trigger->index + 1 : 0;
	finding.deadlock = trigger->kind == TRIGGER_DEADLOCK ? trigger->index + 1 : 0;
	finding.order = trigger->kind == TRIGGER_ORDER ? trigger->index + 1 : 0;
	finding.left = trigger->kind == TRIGGER_KEPT_LOCK ? trigger->index + 1 : 0;
	out->add(out, &finding);
}
