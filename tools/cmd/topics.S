/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of `mpsan help TOPIC`, as the build has made them, inside the command. Neighbours: topics.def, topics.c. */
#define STRING(words) #words
#define FILE_NAME(words) STRING(words)
#define TOPIC(name, title) \
	.globl topic_##name, topic_##name##_end; \
	.hidden topic_##name, topic_##name##_end; \
	topic_##name: .incbin FILE_NAME(name.txt); \
	topic_##name##_end:

	.section .rodata
#include "topics.def"
	.section .note.GNU-stack,"",@progbits
