/* Text for one line of a terminal: without control characters; lapses of time in few letters. */
#ifndef MPSAN_LINE_H
#define MPSAN_LINE_H

/* What would leave the line, or speak to the terminal, becomes a blank. */
void line_clean(char *text);

/* From one time to a later one: "0.3 s", "40 s", "12 min", "3 h", "2 days". */
char *line_lapse(long long from_ns, long long to_ns);

#endif
