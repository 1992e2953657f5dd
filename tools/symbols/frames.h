/*
 * Stacks as people read them: frames in the form of the JSON report. Neighbours: unwind.h and
 * symbols.h do the work on native stacks, evidence.h puts frames into findings.
 */
#ifndef MPSAN_FRAMES_H
#define MPSAN_FRAMES_H

#include <jansson.h>

#include "../reader/reader.h"

struct frames;

struct frames *frames_create(const struct reader *reader);
void frames_destroy(struct frames *frames);

/*
 * The stack at `pos` of the log of `at.slot`, as it was for process `at.by`; innermost frame
 * first. A new reference to an array, empty when there is no such stack.
 */
json_t *frames_native(struct frames *frames, const struct fact_place *at, uint64_t pos);

/* The Python frames at `pos`, in the same manner. */
json_t *frames_python(const struct frames *frames, const struct fact_place *at, uint64_t pos);

/* The same for frames that no log has: text as shim/python/python.h describes it, NULL for none. */
json_t *frames_python_text(const char *text);

/* The same for a stack that no log has, copied at `at.time_ns`; raw stack follows the head. */
json_t *frames_unwind(struct frames *frames, const struct fact_place *at,
		      const struct mpsan_stack *head);

/* Takes a living process's modules from /proc; what is asked about `time_ns` or later finds them. */
void frames_learn(struct frames *frames, uint32_t slot, uint32_t pid, uint64_t time_ns);

/* Gives back what was learned of a process that is gone. */
void frames_forget(struct frames *frames, uint32_t slot);

/* The directory in which the file of a native frame was compiled, when its name is relative; borrowed. NULL: not known. */
const char *frames_built_in(const struct frames *frames, const json_t *frame);

/* Puts the source line into the frame of a stack that matters most, as `source`: sources.h. */
void frames_show(struct frames *frames, const struct fact_place *at, json_t *stack);

/* The one frame of a return address; NULL when it is 0. */
json_t *frame_of_caller(struct frames *frames, const struct fact_place *at, uint64_t caller);

/* The function that begins at `entry`, else NULL; owned by the caller. */
char *frames_function(struct frames *frames, const struct fact_place *at, uint64_t entry);

/* The static object at `address`, else NULL; owned by the caller. */
char *frames_object(struct frames *frames, const struct fact_place *at, uint64_t address);

/*
 * First Python frame that is not of the libraries through which everybody forks and waits
 * (multiprocessing, threading and their like), else the innermost; borrowed, NULL when there is
 * none. What a forked child has of its parent's stack does not count.
 */
json_t *frames_first_script(json_t *python);
/* frame_text, and where its process was made when nothing in that is the program's own; the caller's. */
char *frames_place(const json_t *frame, json_t *python);

/* First frame that is neither of the C library nor of mpsan; borrowed, NULL when there is none. */
json_t *frames_first_own(json_t *native);

/* "function (file:line)" and its like; NULL for NULL; owned by the caller. */
char *frame_text(const json_t *frame);

/* The same without what changes between two runs, builds, checkouts or versions of Python. */
char *frame_key(const json_t *frame);

/* How far a frame is from the user: 0 the program's own, 1 an installed library, 2 Python's or the C library's. */
int frame_distance(const json_t *frame);

#endif
