/*
 * --report html. Neighbour: report.h.
 */
#include "report.h"

void out_html(FILE *out, const struct report *report)
{
	(void)out, (void)report;
}
