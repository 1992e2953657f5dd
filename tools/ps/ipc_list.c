/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the export table of a session and prints it, as text or JSON. */
#include "ipc_list.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../base/jsontext.h"
#include "../report/report.h"
#include "ps_text.h"

#define SCREEN 36u /* rows */
#define IMPORTERS_NAMED 4u
#define COMMAND_WIDTH 28

static enum liveness liveness_of(struct ipc_list *list, uint32_t slot)
{
	const struct mpsan_process *process = &list->session.table[slot];

	if (!list->liveness[slot]) {
		bool over = process->end_ns || process->flags & MPSAN_PROCESS_REPLACED;

		list->liveness[slot] = 1 + (over ? GONE : session_liveness(&list->session, slot));
	}
	return list->liveness[slot] - 1;
}

/* ---- reading ---- */

static int compare_imports(const void *one, const void *other)
{
	uint64_t a = ((const struct ipc_mapping *)one)->place.handle,
		 b = ((const struct ipc_mapping *)other)->place.handle;

	return a < b ? -1 : a > b;
}

/* Imports are sorted by handle: finds the first one of a handle. */
static uint32_t first_import(const struct ipc_list *list, uint64_t handle)
{
	uint32_t low = 0, high = list->imports.count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (list->imports.item[middle].place.handle < handle)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void add_importers(struct ipc_list *list, struct ipc_row *row)
{
	row->first = list->importers.count;
	for (uint32_t i = first_import(list, row->place.handle);
	     i < list->imports.count && list->imports.item[i].place.handle == row->place.handle;
	     i++) {
		struct ipc_mapping *import = &list->imports.item[i];
		uint32_t slot = import->place.owner & ~MPSAN_EXPORT_IMPORT;

		import->known = true;
		if (liveness_of(list, slot) == GONE)
			continue;
		*ARRAY_ADD(&list->importers) =
			(struct ipc_importer){slot, import->place.born_ns, import->place.mapped};
		row->count++;
	}
}

static void add_export(struct ipc_list *list, const struct mpsan_export_place *place)
{
	struct ipc_row *row = ARRAY_ADD(&list->rows);

	*row = (struct ipc_row){.place = *place};
	add_importers(list, row);
}

/*
 * Adds imports whose export is no longer in the table. Only what the importer recorded is known;
 * the owner only if the memory was opened with mpsan_ipc_open.
 */
static void add_freed(struct ipc_list *list)
{
	for (uint32_t i = 0; i < list->imports.count; i++) {
		const struct mpsan_export_place *place = &list->imports.item[i].place;
		struct ipc_row row = {.freed = true, .place = *place};

		if (list->imports.item[i].known || !(place->flags & MPSAN_EXPORT_AUTO))
			continue;
		row.place.owner = place->of_slot;
		row.place.start = place->of_start;
		row.place.bytes = place->bytes_mapped;
		add_importers(list, &row);
		if (row.count)
			*ARRAY_ADD(&list->rows) = row;
	}
}

static bool is_sound(const struct ipc_list *list, const struct mpsan_export_place *place)
{
	if (place->owner == MPSAN_EXPORT_NAMED || place->owner & MPSAN_EXPORT_IMPORT)
		return place->of_slot < list->session.slots &&
		       (place->owner == MPSAN_EXPORT_NAMED ||
			(place->owner & ~MPSAN_EXPORT_IMPORT) < list->session.slots);
	return place->owner < list->session.slots;
}

/* Reads imports and names first, as an export's row is made from them. */
static void read_table(struct ipc_list *list, bool exports)
{
	struct ranges *table = export_table_table(&list->exports);
	struct mpsan_export_place copy;
	uint64_t at = 0;

	while (ranges_next(table, &at, &copy)) {
		bool is_export = !(copy.owner & MPSAN_EXPORT_IMPORT);

		if (!is_sound(list, &copy) || is_export != exports)
			continue;
		if (is_export)
			add_export(list, &copy);
		else if (copy.owner != MPSAN_EXPORT_NAMED)
			*ARRAY_ADD(&list->imports) = (struct ipc_mapping){.place = copy};
	}
}

static void add_names(struct ipc_list *list)
{
	struct ranges *table = export_table_table(&list->exports);
	struct mpsan_export_place label;

	for (uint32_t i = 0; i < list->rows.count; i++) {
		struct mpsan_export_place *place = &list->rows.item[i].place;

		if (place->name_hash &&
		    ranges_find(table, MPSAN_EXPORT_NAMED, place->name_hash, &label) &&
		    label.of_slot == place->owner && label.of_start == place->start)
			memcpy(place->name, label.name, sizeof(place->name));
		place->name[sizeof(place->name) - 1] = '\0';
	}
}

static int compare_rows(const void *one, const void *other)
{
	const struct ipc_row *a = one, *b = other;

	if (a->freed != b->freed)
		return a->freed ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (!*a->place.name != !*b->place.name)
		return *a->place.name ? -1 : 1;
	if (a->place.bytes != b->place.bytes)
		return a->place.bytes > b->place.bytes ? -1 : 1;
	return a->place.born_ns < b->place.born_ns ? -1 : 1;
}

static void ipc_list_count(struct ipc_list *list)
{
	AUTO_FREE uint8_t *seen = memory_get(list->session.slots + 1);

	for (uint32_t i = 0; i < list->rows.count; i++) {
		const struct ipc_row *row = &list->rows.item[i];

		if (row->freed || liveness_of(list, row->place.owner) == GONE)
			continue;
		list->live++;
		list->bytes += row->place.bytes;
		list->owners += !(seen[row->place.owner] & 1);
		seen[row->place.owner] |= 1;
	}
	for (uint32_t i = 0; i < list->importers.count; i++) {
		uint32_t slot = list->importers.item[i].slot;

		list->users += !(seen[slot] & 2);
		seen[slot] |= 2;
	}
}

char *ipc_list_open(struct ipc_list *list, const char *dir)
{
	char *wrong;

	*list = (struct ipc_list){0};
	wrong = session_open(&list->session, dir, false);
	if (!wrong && (wrong = export_table_open(&list->exports, &list->session)))
		session_close(&list->session);
	if (wrong)
		return wrong;
	list->now_ns = clock_ns(CLOCK_MONOTONIC);
	list->liveness = memory_get(list->session.slots + 1);
	if (!list->exports.head)
		return NULL;
	read_table(list, false);
	if (list->imports.count)
		qsort(list->imports.item, list->imports.count, sizeof(struct ipc_mapping),
		      compare_imports);
	read_table(list, true);
	add_freed(list);
	add_names(list);
	if (list->rows.count)
		qsort(list->rows.item, list->rows.count, sizeof(struct ipc_row), compare_rows);
	ipc_list_count(list);
	return NULL;
}

void ipc_list_close(struct ipc_list *list)
{
	export_table_close(&list->exports);
	session_close(&list->session);
	free(list->imports.item);
	free(list->importers.item);
	free(list->rows.item);
	free(list->liveness);
}

/* ---- printing ---- */

static const char *kind_text(uint32_t memory)
{
	return memory == MPSAN_MEMORY_VMM	   ? "vmm" :
	       memory == MPSAN_MEMORY_POOL_POINTER ? "pool" :
						     "malloc";
}

static const char *state_text(struct ipc_list *list, uint32_t slot)
{
	static const char *const text[] = {
		[ALIVE] = "alive", [GONE] = "ended", [UNKNOWN] = "unknown"};

	return text[liveness_of(list, slot)];
}

static json_int_t real_ns(const struct ipc_list *list, uint64_t ns)
{
	const struct mpsan_session *head = list->session.head;

	return (json_int_t)(ns - head->start_ns + head->start_real_ns);
}

static json_t *importers_json(struct ipc_list *list, const struct ipc_row *row)
{
	json_t *array = json_array();

	for (uint32_t i = row->first; i < row->first + row->count; i++) {
		const struct ipc_importer *importer = &list->importers.item[i];
		char *address = text_format("0x%llx", (unsigned long long)importer->address);

		json_array_append_new(array,
				      json_pack("{s:I, s:I, s:s}", "pid",
						(json_int_t)list->session.table[importer->slot].pid,
						"since_ns", real_ns(list, importer->since_ns),
						"address", address));
		free(address);
	}
	return array;
}

static json_t *row_json(struct ipc_list *list, const struct ipc_row *row)
{
	const struct mpsan_export_place *place = &row->place;
	const struct mpsan_process *owner = &list->session.table[place->owner];
	char base[24], gpu[24];

	snprintf(base, sizeof(base), "0x%llx", (unsigned long long)place->start);
	snprintf(gpu, sizeof(gpu), "0x%llx", (unsigned long long)place->gpu);
	return json_pack("{s:I, s:o, s:s, s:i, s:s, s:s, s:I, s:I, s:o, s:s, s:s, s:b, s:b, s:o}",
			 "pid", (json_int_t)owner->pid, "argv", process_argv(owner), "state",
			 state_text(list, place->owner), "device", place->device, "gpu", gpu,
			 "base", base, "bytes", (json_int_t)place->bytes, "born_ns",
			 real_ns(list, place->born_ns), "name",
			 *place->name ? jsontext_of(place->name) : json_null(), "kind",
			 kind_text(place->memory), "by",
			 place->flags & MPSAN_EXPORT_AUTO ? "library" : "program", "opened",
			 row->freed || place->flags & MPSAN_EXPORT_OPENED, "freed", row->freed,
			 "importers", importers_json(list, row));
}

static json_t *totals(const struct ipc_list *list)
{
	const struct mpsan_exports *head = list->exports.head;

	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "exports", (json_int_t)list->live, "bytes",
			 (json_int_t)list->bytes, "owners", (json_int_t)list->owners, "importers",
			 (json_int_t)list->users, "reclaimed",
			 (json_int_t)(head ? head->reclaimed : 0));
}

json_t *ipc_list_totals(const char *dir)
{
	struct ipc_list list;
	char *wrong = ipc_list_open(&list, dir);
	json_t *result;

	if (wrong) {
		free(wrong);
		return json_null();
	}
	result = list.exports.head ? totals(&list) : json_null();
	ipc_list_close(&list);
	return result;
}

json_t *ipc_list_document(struct ipc_list *list)
{
	json_t *rows = json_array(), *document;

	for (uint32_t i = 0; i < list->rows.count; i++)
		json_array_append_new(rows, row_json(list, &list->rows.item[i]));
	document = json_pack("{s:s, s:o, s:I, s:o, s:o, s:[]}", "schema", "mpsan.ipc/1", "session",
			     jsontext_of(list->session.dir), "time_ns", real_ns(list, list->now_ns),
			     "exports", rows, "totals", totals(list), "limits");
	export_table_limits(&list->exports, document);
	return document;
}

static char *bytes_text(uint64_t bytes)
{
	static const char units[] = " KMGT";
	double value = (double)bytes;
	unsigned unit = 0;

	while (value >= 1024 && unit < 4) {
		value /= 1024;
		unit++;
	}
	return unit ? text_format("%.4g %ciB", value, units[unit]) :
		      text_format("%llu B", (unsigned long long)bytes);
}

static void print_importers(const struct ipc_list *list, const struct ipc_row *row, FILE *out)
{
	for (uint32_t i = 0; i < row->count && i < IMPORTERS_NAMED; i++)
		fprintf(out, "%s%u", i ? ", " : "",
			list->session.table[list->importers.item[row->first + i].slot].pid);
	if (row->count > IMPORTERS_NAMED)
		fprintf(out, " and %u more", row->count - IMPORTERS_NAMED);
	if (!row->count)
		fputs("-", out);
}

static void print_row(struct ipc_list *list, const struct ipc_row *row, FILE *out)
{
	const struct mpsan_export_place *place = &row->place;
	const struct mpsan_process *owner = &list->session.table[place->owner];
	AUTO_FREE char *command = ps_command(process_argv(owner)),
		       *bytes = bytes_text(place->bytes),
		       *age = row->freed ? text_copy("freed") :
					   line_lapse((long long)place->born_ns,
						      (long long)list->now_ns);
	AUTO_FREE char *name = text_copy(*place->name ? place->name : "-");
	bool gone = liveness_of(list, place->owner) == GONE;

	line_clean(name);
	fprintf(out, "%7u %-*.*s %6d %10s %8s %-6s %-20s ", owner->pid, COMMAND_WIDTH,
		COMMAND_WIDTH, gone ? "(ended)" : command, place->device, bytes, age,
		kind_text(place->memory), name);
	print_importers(list, row, out);
	fputc('\n', out);
}

static void print_rest(const struct ipc_list *list, uint32_t from, FILE *out)
{
	uint64_t sum = 0;
	AUTO_FREE char *bytes = NULL;

	for (uint32_t i = from; i < list->rows.count; i++)
		sum += list->rows.item[i].place.bytes;
	bytes = bytes_text(sum);
	fprintf(out, "        … %u more, %s (--json lists all)\n", list->rows.count - from, bytes);
}

static void print_limits(const struct ipc_list *list, FILE *out)
{
	json_t *document = json_pack("{s:[]}", "limits"), *line;

	export_table_limits(&list->exports, document);
	JSON_EACH(line, json_object_get(document, "limits"))
		fprintf(out, "limit: %s\n", json_string_value(line));
	json_decref(document);
}

void ipc_list_print(struct ipc_list *list, FILE *out)
{
	AUTO_FREE char *bytes = bytes_text(list->bytes);
	uint32_t shown = list->rows.count > SCREEN + 1 ? SCREEN : list->rows.count;

	if (shown)
		fprintf(out, "%7s %-*s %6s %10s %8s %-6s %-20s %s\n", "owner", COMMAND_WIDTH,
			"command", "device", "bytes", "age", "kind", "name", "importers");
	for (uint32_t i = 0; i < shown; i++)
		print_row(list, &list->rows.item[i], out);
	if (shown < list->rows.count)
		print_rest(list, shown, out);
	fprintf(out, "%llu export%s, %s, of %u process%s; %u process%s something open\n",
		(unsigned long long)list->live, list->live == 1 ? "" : "s", bytes, list->owners,
		list->owners == 1 ? "" : "es", list->users, list->users == 1 ? " has" : "es have");
	print_limits(list, out);
}
