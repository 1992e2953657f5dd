/* Completes a finding with what its moment is about, and hands it over. */
#include "rule.h"

void finding_add(struct findings *out, const struct moment *moment, struct finding finding)
{
	finding.moment = *moment;
	finding.wait = moment->kind == MOMENT_WAIT ? moment->index : FACT_NONE;
	finding.unlock = moment->kind == MOMENT_UNLOCK ? moment->index : FACT_NONE;
	finding.knot = moment->kind == MOMENT_KNOT ? moment->index : FACT_NONE;
	finding.order = moment->kind == MOMENT_ORDER ? moment->index : FACT_NONE;
	finding.left = moment->kind == MOMENT_LEFT ? moment->index : FACT_NONE;
	for (uint32_t i = 0; i + 1 < ORDERS_MAX && moment->kind != MOMENT_ORDER; i++)
		finding.earlier[i] = FACT_NONE;
	out->add(out, &finding);
}
