/* SPDX-License-Identifier: Apache-2.0 */
/* --report null: the number of findings, and nothing else. */
#include "formats.h"

void out_null(FILE *out, const struct report *report)
{
	const json_t *findings = json_object_get(report->document, "findings");

	fprintf(out, "%zu findings\n", json_array_size(findings));
}
