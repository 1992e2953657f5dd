/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the JSON data of the HTML page: each text, frame and stack once. */
#include "../../shim/common/hash.h"
#include "../rules/catalog.h"
#include "out_html.h"

#include <stdlib.h>

#include "../base/jsontext.h"

/* Values stored once: a hash table beside their list. */
struct pool {
	json_t *list;
	uint32_t *slots; /* index + 1, by hash */
	size_t room;
};

struct packer {
	struct pool texts, frames, stacks;
};

static void pool_init(struct pool *pool)
{
	*pool = (struct pool){json_array(), memory_get(1024 * sizeof(uint32_t)), 1024};
}

static uint64_t html_data_mix(uint64_t hash, uint64_t value)
{
	return (hash ^ value ^ value >> 29) * 0x9e3779b97f4a7c15ull;
}

static uint64_t hash_of(const json_t *value)
{
	uint64_t hash = json_typeof(value);
	json_t *item;

	if (json_is_integer(value))
		return html_data_mix(hash, (uint64_t)json_integer_value(value));
	if (json_is_string(value))
		hash = hash_text(hash, json_string_value(value));
	JSON_EACH(item, value)
		hash = html_data_mix(hash, hash_of(item));
	return hash;
}

static uint32_t *pool_slot(const struct pool *pool, const json_t *value)
{
	size_t at = hash_of(value) * 0x9e3779b97f4a7c15ull >> 20;

	for (;; at++) {
		uint32_t *slot = &pool->slots[at % pool->room];

		if (!*slot || json_equal(json_array_get(pool->list, *slot - 1), value))
			return slot;
	}
}

static void pool_grow(struct pool *pool)
{
	json_t *item;
	size_t i;

	free(pool->slots);
	pool->room *= 2;
	pool->slots = memory_get(pool->room * sizeof(uint32_t));
	json_array_foreach(pool->list, i, item)
		*pool_slot(pool, item) = (uint32_t)i + 1;
}

/* The index of a value in the list; takes over the value. */
static json_int_t pool_put(struct pool *pool, json_t *value)
{
	uint32_t *slot = pool_slot(pool, value);

	if (*slot) {
		json_decref(value);
		return *slot - 1;
	}
	json_array_append_new(pool->list, value);
	*slot = (uint32_t)json_array_size(pool->list);
	if (json_array_size(pool->list) * 2 > pool->room)
		pool_grow(pool);
	return (json_int_t)json_array_size(pool->list) - 1;
}

static json_int_t html_data_put_text(struct packer *packer, const json_t *object, const char *key)
{
	json_t *text = json_object_get(object, key);

	return json_is_string(text) ? pool_put(&packer->texts, json_incref(text)) : -1;
}

/* The lines around a frame's: [number of the first, their texts]. */
static json_t *pack_around(struct packer *packer, const json_t *around)
{
	json_t *lines = json_array(), *line;

	JSON_EACH(line, json_object_get(around, "lines"))
		json_array_append_new(lines,
				      json_integer(pool_put(&packer->texts, json_incref(line))));
	return json_pack("[I, o]", jsontext_number(around, "first"), lines);
}

static json_int_t put_frame(struct packer *packer, const json_t *frame)
{
	const json_t *around = json_object_get(frame, "around");
	json_t *packed;

	if (!json_is_object(frame))
		return -1;
	packed = json_pack(
		"[I, I, I, I, I, I]", html_data_put_text(packer, frame, "function"),
		html_data_put_text(packer, frame, "file"), jsontext_number(frame, "line"),
		html_data_put_text(packer, frame, "module"), jsontext_number(frame, "offset"),
		html_data_put_text(packer, frame, "source"));
	if (around)
		json_array_append_new(packed, pack_around(packer, around));
	return pool_put(&packer->frames, packed);
}

static json_int_t put_stack(struct packer *packer, const json_t *stack)
{
	json_t *packed, *frame;

	if (!json_array_size(stack))
		return -1;
	packed = json_array();
	JSON_EACH(frame, stack)
		json_array_append_new(packed, json_integer(put_frame(packer, frame)));
	return pool_put(&packer->stacks, packed);
}

static json_t *pack_step(struct packer *packer, json_t *step)
{
	json_t *packed = json_copy(step);

	json_object_set_new(packed, "at",
			    json_integer(put_frame(packer, json_object_get(step, "at"))));
	json_object_set_new(packed, "stack",
			    json_integer(put_stack(packer, json_object_get(step, "stack"))));
	json_object_set_new(packed, "python",
			    json_integer(put_stack(packer, json_object_get(step, "python"))));
	return packed;
}

static json_t *pack_finding(struct packer *packer, json_t *finding)
{
	json_t *packed = json_copy(finding), *steps = json_array(), *step;

	JSON_EACH(step, json_object_get(finding, "evidence"))
		json_array_append_new(steps, pack_step(packer, step));
	json_object_set_new(packed, "evidence", steps);
	return packed;
}

static void add_rule(json_t *told, const char *slug)
{
	enum rule_id rule = slug ? rule_find(slug) : RULE_COUNT;
	const struct rule_words *words;

	if (rule == RULE_COUNT || json_object_get(told, slug))
		return;
	words = rule_words(rule);
	json_object_set_new(told, slug,
			    json_pack("{s:s, s:s, s:s, s:s, s:s}", "title", words->title, "hazard",
				      words->hazard, "evidence", words->evidence, "grading",
				      words->grading, "source", words->source));
}

static json_t *hosts_of(const struct report *report)
{
	json_t *hosts = json_array();

	for (uint32_t i = 0; i < report->source.count; i++)
		if (report->source.item[i].host)
			json_array_append_new(
				hosts, json_pack("{s:o, s:o}", "host",
						 jsontext_of(report->source.item[i].host), "rank",
						 jsontext_of(report->source.item[i].rank)));
	return hosts;
}

json_t *html_data(const struct report *report)
{
	json_t *data = json_copy(report->document), *findings = json_array(), *told = json_object();
	struct packer packer;
	json_t *finding;

	pool_init(&packer.texts);
	pool_init(&packer.frames);
	pool_init(&packer.stacks);
	JSON_EACH(finding, json_object_get(report->document, "findings")) {
		json_array_append_new(findings, pack_finding(&packer, finding));
		add_rule(told, json_string_value(json_object_get(finding, "rule")));
	}
	json_object_set_new(data, "findings", findings);
	json_object_set_new(data, "texts", packer.texts.list);
	json_object_set_new(data, "frames", packer.frames.list);
	json_object_set_new(data, "stacks", packer.stacks.list);
	json_object_set_new(data, "rules", told);
	if (!json_array_size(json_object_get(data, "hosts")))
		json_object_set_new(data, "hosts", hosts_of(report));
	json_object_set_new(data, "line", html_line(report));
	free(packer.texts.slots);
	free(packer.frames.slots);
	free(packer.stacks.slots);
	return data;
}
