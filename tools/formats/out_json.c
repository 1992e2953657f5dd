/* SPDX-License-Identifier: Apache-2.0 */
/* --report json: the document itself. Neighbour: report.h. */
#include "formats.h"

void out_json(FILE *out, const struct report *report)
{
	json_dumpf(report->document, out, JSON_INDENT(2));
	fputc('\n', out);
}
