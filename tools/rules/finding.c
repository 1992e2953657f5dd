/* SPDX-License-Identifier: Apache-2.0 */
/* Completes a finding with the subject of its trigger, and adds it. */
#include "rule.h"

void finding_add(struct findings *out, const struct trigger *trigger, struct finding finding)
{
	finding.trigger = *trigger;
	finding.wait = trigger->kind == TRIGGER_WAIT ? trigger->index : FACT_NONE;
	finding.unlock = trigger->kind == TRIGGER_UNLOCK ? trigger->index : FACT_NONE;
	finding.deadlock = trigger->kind == TRIGGER_DEADLOCK ? trigger->index : FACT_NONE;
	finding.order = trigger->kind == TRIGGER_ORDER ? trigger->index : FACT_NONE;
	finding.left = trigger->kind == TRIGGER_KEPT_LOCK ? trigger->index : FACT_NONE;
	for (uint32_t i = 0; i + 1 < ORDERS_MAX && trigger->kind != TRIGGER_ORDER; i++)
		finding.earlier[i] = FACT_NONE;
	out->add(out, &finding);
}
