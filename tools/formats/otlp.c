/* SPDX-License-Identifier: Apache-2.0 */
/* Collects log records into batches and writes each as one line of OTLP JSON. */
#include "otlp.h"

#include <stdlib.h>
#include <string.h>

#include "../../include/mpsan_version.h"
#include "../base/jsontext.h"
#include "../base/util.h"

/* The JSON form of protocol buffers writes 64-bit numbers as strings. */
static json_t *decimal(uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	return json_string(text);
}

json_t *otlp_text(const char *text)
{
	size_t length = strlen(text);

	if (length <= OTLP_TEXT)
		return jsontext_of(text);
	for (length = OTLP_TEXT; length && ((unsigned char)text[length] & 0xc0) == 0x80;)
		length--; /* do not split a character */
	return jsontext_part(text, length);
}

static json_t *any_value(const json_t *value);

static json_t *list_value(const json_t *array)
{
	json_t *values = json_array(), *item;

	JSON_EACH(item, array)
		if (!json_is_null(item))
			json_array_append_new(values, any_value(item));
	return json_pack("{s:{s:o}}", "arrayValue", "values", values);
}

static json_t *map_value(const json_t *object)
{
	json_t *values = json_array(), *value;
	const char *key;

	json_object_foreach((json_t *)object, key, value)
		otlp_attribute(values, key, json_incref(value));
	return json_pack("{s:{s:o}}", "kvlistValue", "values", values);
}

/* AnyValue of opentelemetry.proto.common.v1. */
static json_t *any_value(const json_t *value)
{
	char text[24];

	switch (json_typeof(value)) {
	case JSON_STRING:
		return json_pack("{s:o}", "stringValue", otlp_text(json_string_value(value)));
	case JSON_INTEGER:
		snprintf(text, sizeof(text), "%lld", (long long)json_integer_value(value));
		return json_pack("{s:s}", "intValue", text);
	case JSON_REAL:
		return json_pack("{s:f}", "doubleValue", json_real_value(value));
	case JSON_ARRAY:
		return list_value(value);
	case JSON_OBJECT:
		return map_value(value);
	default:
		return json_pack("{s:b}", "boolValue", json_is_true(value));
	}
}

void otlp_attribute(json_t *attributes, const char *key, json_t *value)
{
	if (value && !json_is_null(value))
		json_array_append_new(
			attributes, json_pack("{s:s, s:o}", "key", key, "value", any_value(value)));
	json_decref(value);
}

/* Writes the batch as one line. */
static void flush(struct otlp *otlp)
{
	if (otlp->count)
		fprintf(otlp->out,
			"{\"resourceLogs\":[{\"resource\":{\"attributes\":%s},\"scopeLogs\":[{\"scope\":"
			"{\"name\":\"mpsan\",\"version\":\"" MPSAN_VERSION
			"\"},\"logRecords\":[%s]}]}]}\n",
			otlp->resource, otlp->records);
	otlp->count = 0;
	otlp->bytes = 0;
}

void otlp_resource(struct otlp *otlp, json_t *attributes)
{
	char *text = json_dumps(attributes, JSON_COMPACT);

	json_decref(attributes);
	if (otlp->resource && !strcmp(text, otlp->resource)) {
		free(text);
		return;
	}
	flush(otlp);
	free(otlp->resource);
	otlp->resource = text;
}

static void append(struct otlp *otlp, const char *text)
{
	size_t length = strlen(text);

	if (otlp->count == OTLP_RECORDS || otlp->bytes + length > OTLP_BATCH)
		flush(otlp);
	if (otlp->bytes + length + 2 > otlp->room) {
		otlp->room = 2 * (otlp->bytes + length + 2);
		otlp->records = memory_grow(otlp->records, otlp->room);
	}
	if (otlp->count++)
		otlp->records[otlp->bytes++] = ',';
	memcpy(otlp->records + otlp->bytes, text, length + 1);
	otlp->bytes += length;
}

void otlp_add(struct otlp *otlp, const struct otlp_record *record)
{
	json_auto_t *object = json_pack(
		"{s:o, s:o, s:i, s:s, s:{s:o}, s:o}", "timeUnixNano", decimal(record->time_ns),
		"observedTimeUnixNano", decimal(record->time_ns), "severityNumber",
		record->severity, "severityText", record->severity_text, "body", "stringValue",
		otlp_text(record->body), "attributes", record->attributes);
	AUTO_FREE char *text = NULL;

	if (!record->time_ns) {
		json_object_del(object, "timeUnixNano");
		json_object_del(object, "observedTimeUnixNano");
	}
	text = json_dumps(object, JSON_COMPACT);
	append(otlp, text);
}

void otlp_finish(struct otlp *otlp)
{
	flush(otlp);
	free(otlp->resource);
	free(otlp->records);
	*otlp = (struct otlp){0};
}
