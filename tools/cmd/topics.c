/* SPDX-License-Identifier: Apache-2.0 */
/* Lists and prints the topics of topics.def; topics.S has their texts. */
#include "topics.h"

#include <string.h>

#define TOPIC(name, title) extern const char topic_##name[], topic_##name##_end[];
#include "topics.def"
#undef TOPIC

static const struct {
	const char *name, *title, *text, *end;
} topics[] = {
#define TOPIC(name, title) {#name, title, topic_##name, topic_##name##_end},
#include "topics.def"
#undef TOPIC
};
#define TOPICS (sizeof(topics) / sizeof(*topics))

const char *topic_name(size_t number)
{
	return number < TOPICS ? topics[number].name : NULL;
}

void topics_list(FILE *out)
{
	for (size_t i = 0; i < TOPICS; i++)
		fprintf(out, "  %-10s %s\n", topics[i].name, topics[i].title);
}

bool topic_print(const char *name)
{
	for (size_t i = 0; i < TOPICS; i++)
		if (!strcmp(topics[i].name, name)) {
			fwrite(topics[i].text, 1, topics[i].end - topics[i].text, stdout);
			return true;
		}
	return false;
}
