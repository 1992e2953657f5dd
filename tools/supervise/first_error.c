/* SPDX-License-Identifier: Apache-2.0 */
/* Formats the line that `mpsan run` prints at the first error. */
#include "first_error.h"

#include <string.h>

#include "../base/jsontext.h"
#include "../base/line.h"
#include "../base/util.h"
#include "../formats/plain_text.h"

/* What silences a finding does not let its program hang on. */
static char *silenced_text(const struct alert *alert)
{
	if (alert->hushed_by)
		return text_format("; %s, so the exit status is the program's own",
				   alert->hushed_by);
	if (alert->baseline)
		return text_format(
			"; exit status %d although the baseline %s has it, as nothing after it was tested",
			alert->kill_status, alert->baseline);
	return text_copy("");
}

/* What happens to the program now, or may be done with it. */
static char *next_text(const struct alert *alert)
{
	if (alert->killed_by)
		return text_join(
			text_format("killing %s (--on-deadlock=%s)",
				    alert->is_over ? "what is left of the program" : "the program",
				    alert->killed_by),
			"", silenced_text(alert));
	if (alert->is_over)
		return text_copy("the program has ended");
	if (!(alert->is_wait || alert->is_hang))
		return text_copy("the program goes on");
	return text_format("%sinspect the hanging program with mpsan ps %s",
			   alert->is_spared ? "not killed, as something will end it "
					      "(--on-deadlock=kill-hopeless kills it at once); " :
					      "",
			   alert->dir);
}

/* What cannot succeed but comes to an end is no deadlock. */
static const char *headline(const struct alert *alert, const json_t *finding)
{
	const char *ends = json_string_value(json_object_get(finding, "ends"));

	if (alert->is_hang)
		return "no progress";
	if (!alert->is_wait)
		return alert->is_warning ? "first warning" : "first error";
	return ends && strcmp(ends, "never") ? "hopeless wait proved" : "deadlock proved";
}

char *first_error_text(const struct alert *alert, const json_t *finding)
{
	AUTO_FREE char *after = line_lapse(0, (long long)alert->after_ns), *next = next_text(alert),
		       *head = plain_head(finding);

	line_clean(next);
	return text_format("mpsan: %s after %s of the session: %s: %s\n  %s\n",
			   headline(alert, finding), after, jsontext_at(finding, "rule"), next,
			   head);
}
