/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a template; each function prints one to standard output. */
#pragma once

void mdoc_synopsis(void);
void mdoc_commands(void);
void mdoc_options(void);
void mdoc_library_options(void);
void mdoc_rules(void);
void mdoc_topics(void);
void mdoc_formats(void);
void mdoc_policies(void);

/* Shell functions, for bash and zsh. */
void words_tables(void);
/* The words with their descriptions, for zsh. */
void words_descriptions(void);
