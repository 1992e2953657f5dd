/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the clocks of the hosts of a report, and lists hosts and ranks. */
#include "hosts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../base/jsontext.h"
#include "../base/limit.h"

#define SECOND_NS 1e9
#define SKEW_MAX_SECONDS 1e9
#define AHEAD_MAX_NS 2000000000000000000 /* the sum of two fits */
#define NAMED_MAX 8u /* hosts or ranks listed; further ones are only counted */

char *host_skew_parse(struct host_skew *skew, const char *value)
{
	const char *equals = strrchr(value, '=');
	double seconds = 0;
	char *end = NULL;

	if (equals)
		seconds = strtod(equals + 1, &end);
	if (!equals || equals == value || end == equals + 1 || *end || !isfinite(seconds) ||
	    fabs(seconds) > SKEW_MAX_SECONDS)
		return text_format(
			"--skew %s: expected HOST=SECONDS by which that host's clock is ahead (negative: behind)",
			value);
	*skew = (struct host_skew){value, equals - value,
				   (int64_t)(seconds * SECOND_NS + copysign(0.5, seconds))};
	return NULL;
}

/* Copies a fixed-size text field of an untrusted file. */
static char *field(const char *text, size_t bytes)
{
	char *copy = memory_get(bytes + 1);

	memcpy(copy, text, strnlen(text, bytes));
	return copy;
}
#define FIELD(text) field(text, sizeof(text))

void hosts_add(struct report *report, const struct session *session)
{
	struct report_source *source = ARRAY_ADD(&report->source);
	const struct mpsan_host *host = &session->head->host;

	*source = (struct report_source){
		.dir = text_copy(session->dir), .uncertainty_ns = REPORT_UNCERTAIN, .facts = *host};
	if (*host->name)
		source->host = FIELD(host->name);
	if (host->rank)
		source->rank = text_format("%u", host->rank - 1);
}

/*
 * File systems whose timestamps come from the server's clock, which all clients share: NFS, SMB
 * (three variants), 9p.
 */
static bool is_stamped_by_server(uint64_t filesystem)
{
	return filesystem == 0x6969 || filesystem == 0x517b || filesystem == 0xff534d42 ||
	       filesystem == 0xfe534d42 || filesystem == 0x01021997;
}

/* Whether the numbers are plausible: they come from an untrusted file. */
static bool is_measured(const struct mpsan_host *host)
{
	return host->clock & MPSAN_CLOCK_MEASURED && is_stamped_by_server(host->filesystem) &&
	       host->ahead_ns < AHEAD_MAX_NS && host->ahead_ns > -AHEAD_MAX_NS &&
	       host->ahead_error_ns < AHEAD_MAX_NS;
}

static bool is_same_boot(const struct mpsan_host *a, const struct mpsan_host *b)
{
	return *a->boot && !strncmp(a->boot, b->boot, sizeof(a->boot));
}

/* How far a clock is ahead of common time. */
struct ahead {
	int64_t ns;
	uint64_t error_ns; /* REPORT_UNCERTAIN: unknown */
	bool given;
};

static bool find_given(const struct report_source *source, const struct host_skew *skews,
		       uint32_t count, struct ahead *ahead)
{
	for (uint32_t i = count; i-- > 0;) {
		if (!source->host || strlen(source->host) != skews[i].length ||
		    strncmp(source->host, skews[i].host, skews[i].length))
			continue;
		*ahead = (struct ahead){skews[i].ns, 0, true};
		return true;
	}
	return false;
}

static char *check_given(const struct report *report, const struct host_skew *skews, uint32_t count)
{
	struct ahead ahead;

	for (uint32_t i = 0; i < count; i++) {
		bool known = false;

		for (uint32_t at = 0; at < report->source.count && !known; at++)
			known = find_given(&report->source.item[at], &skews[i], 1, &ahead);
		if (!known)
			return text_format(
				"--skew %.*s: no session of that host; `hosts` in the JSON report lists them",
				(int)skews[i].length, skews[i].host);
	}
	return NULL;
}

/*
 * The offset of a session's clock. A file server's time counts only if all sessions were compared
 * with it.
 */
static struct ahead ahead_of(const struct mpsan_host *host, bool by_server)
{
	if (by_server)
		return (struct ahead){host->ahead_ns, host->ahead_error_ns, false};
	if (host->clock & MPSAN_CLOCK_SYNCED && host->max_error_ns < AHEAD_MAX_NS)
		return (struct ahead){0, host->max_error_ns, false};
	return (struct ahead){0, REPORT_UNCERTAIN, false};
}

char *hosts_compare(struct report *report, const struct host_skew *skews, uint32_t count)
{
	AUTO_FREE struct ahead *ahead = memory_get((report->source.count + 1) * sizeof(*ahead));
	struct report_source *source = report->source.item;
	bool by_server = true;

	for (uint32_t i = 0; i < report->source.count; i++)
		if (!find_given(&source[i], skews, count, &ahead[i]))
			by_server = by_server && is_measured(&source[i].facts);
	for (uint32_t i = 0; i < report->source.count; i++) {
		const struct mpsan_host *host = &source[i].facts;
		bool unknown;

		if (!ahead[i].given)
			ahead[i] = ahead_of(host, by_server);
		/* One host has one clock: the difference between its readings is their error. */
		if (!i || (!ahead[i].given && is_same_boot(host, &source[0].facts))) {
			source[i].skew_ns = 0;
			source[i].uncertainty_ns = 0;
			continue;
		}
		unknown = ahead[i].error_ns == REPORT_UNCERTAIN ||
			  ahead[0].error_ns == REPORT_UNCERTAIN;
		source[i].skew_ns = ahead[i].ns - ahead[0].ns;
		source[i].uncertainty_ns = unknown ? REPORT_UNCERTAIN :
						     ahead[i].error_ns + ahead[0].error_ns;
	}
	return check_given(report, skews, count);
}

static json_t *one_less(uint32_t number)
{
	return number ? json_integer(number - 1) : json_null();
}

static json_t *synchronised(const struct mpsan_host *host)
{
	return host->clock & MPSAN_CLOCK_SYNCED ? json_true() :
	       host->clock & MPSAN_CLOCK_LOOSE	? json_false() :
						  json_null();
}

static json_t *text_or_null(const char *text, size_t bytes)
{
	return *text ? jsontext_part(text, strnlen(text, bytes)) : json_null();
}

json_t *hosts_json(const struct report_source *source, const json_t *command,
		   const struct report_exit *end)
{
	const struct mpsan_host *facts = &source->facts;

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o}", "host",
		jsontext_of(source->host), "rank", one_less(facts->rank), "world",
		facts->world > 1 ? json_integer(facts->world - 1) : json_null(), "local_rank",
		one_less(facts->local), "launcher",
		text_or_null(facts->launcher, sizeof(facts->launcher)), "job",
		text_or_null(facts->job, sizeof(facts->job)), "dir", jsontext_of(source->dir),
		"skew_ns", (json_int_t)source->skew_ns, "uncertainty_ns",
		source->uncertainty_ns == REPORT_UNCERTAIN ?
			json_null() :
			json_integer((json_int_t)source->uncertainty_ns),
		"synchronised", synchronised(facts), "command",
		command ? json_deep_copy(command) : json_array(), "exit", report_exit_json(end));
}

static void add_uncompared(const struct report *report)
{
	json_t *told = json_object(), *value;
	AUTO_FREE char *names = text_copy("");
	const char *name;

	for (uint32_t i = 0; i < report->source.count; i++) {
		const struct report_source *source = &report->source.item[i];

		if (source->uncertainty_ns != REPORT_UNCERTAIN)
			continue;
		value = jsontext_of(source->host ? source->host : source->dir);
		json_object_set_new(told, json_string_value(value), json_true());
		json_decref(value);
	}
	json_object_foreach(told, name, value)
		if (json_object_size(told) <= NAMED_MAX)
			names = text_join(names, ", ", text_copy(name));
	if (json_object_size(told))
		report_limit(
			report->document,
			"hosts whose clocks could not be compared with the first host's: %zu%s%s; their times may be off (use session directories on a file server, time synchronisation, or --skew HOST=SECONDS)",
			json_object_size(told), *names ? ": " : "", names);
	json_decref(told);
}

/* Ranks that the launcher announced but that left no session. */
static void add_absent(const struct report *report)
{
	uint32_t world = 0, absent = 0;
	AUTO_FREE char *names = NULL;
	AUTO_FREE bool *here = NULL;

	for (uint32_t i = 0; i < report->source.count; i++) {
		const struct mpsan_host *facts = &report->source.item[i].facts;

		if (!facts->rank || (i && facts->world != report->source.item[0].facts.world))
			return;
		world = facts->world ? facts->world - 1 : 0;
	}
	if (world > 1u << 20)
		return;
	here = memory_get(world + 1);
	names = text_copy("");
	for (uint32_t i = 0; i < report->source.count; i++)
		if (report->source.item[i].facts.rank <= world)
			here[report->source.item[i].facts.rank - 1] = true;
	for (uint32_t rank = 0; rank < world; rank++)
		if (!here[rank] && ++absent <= NAMED_MAX)
			names = text_join(names, ", ", text_format("%u", rank));
	if (absent)
		report_limit(report->document, "%u of %u ranks have no session here: %s%s", absent,
			     world, names, absent > NAMED_MAX ? ", …" : "");
}

void hosts_limits(const struct report *report)
{
	if (report->source.count < 2)
		return;
	add_uncompared(report);
	add_absent(report);
}
