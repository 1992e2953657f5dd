/*
 * --report github. Neighbour: report.h.
 */
#include "report.h"

void out_github(FILE *out, const struct report *report)
{
	(void)out, (void)report;
}
