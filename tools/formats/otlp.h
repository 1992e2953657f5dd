/* SPDX-License-Identifier: Apache-2.0 */
/*
 * OTLP in JSON: batches of log records, one ExportLogsServiceRequest per line, as OpenTelemetry's
 * file exporter writes and its otlpjsonfile receiver reads them. Neighbour: out_otlp.c.
 */
#pragma once

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A receiver truncates lines of more than 1 MiB: a batch is written before it reaches OTLP_BATCH
 * bytes or OTLP_RECORDS records. Texts are cut at OTLP_TEXT bytes, which may become six times as
 * long in JSON, so that one record stays below 1 MiB, too.
 */
#define OTLP_BATCH (256u << 10)
#define OTLP_RECORDS 512u
#define OTLP_TEXT (24u << 10)

/* The records of one resource that are not written yet. */
struct otlp {
	FILE *out;
	char *resource; /* the resource of these records as text; NULL: none yet */
	char *records;
	size_t bytes, room;
	unsigned count;
};

/* Appends key and value to a list of attributes; takes over the value. Ignores NULL. */
void otlp_attribute(json_t *attributes, const char *key, json_t *value);

/* A JSON string, truncated if it is too long. */
json_t *otlp_text(const char *text);

/* The following records belong to the resource with these attributes; takes them over. */
void otlp_resource(struct otlp *otlp, json_t *attributes);

/* Adds one record. Takes over `attributes`; `time_ns` 0: unknown. */
struct otlp_record {
	uint64_t time_ns;
	int severity; /* SeverityNumber */
	const char *severity_text;
	const char *body;
	json_t *attributes;
};
void otlp_add(struct otlp *otlp, const struct otlp_record *record);

/* Writes the remaining records. */
void otlp_finish(struct otlp *otlp);
