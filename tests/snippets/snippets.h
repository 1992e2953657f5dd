/* The table of snippets, run in one context; snippets_report says whether all rows were seen. */
#ifndef SNIPPETS_H
#define SNIPPETS_H

void snippets_run(const char *from);
void snippets_measure(void);
int snippets_report(void);

#endif
