/* What may stand in a template; each prints a part of a file on standard output. */
#ifndef MPSAN_MAN_EXPAND_H
#define MPSAN_MAN_EXPAND_H

void mdoc_synopsis(void);
void mdoc_commands(void);
void mdoc_options(void);
void mdoc_library_options(void);
void mdoc_rules(void);
void mdoc_topics(void);
void mdoc_formats(void);
void mdoc_policies(void);

/* Functions of the shell, for bash as well as zsh. */
void words_tables(void);
/* The same words with their meanings, for zsh. */
void words_descriptions(void);

#endif
