/*
 * A scene of a story: one thread at one moment, with its stacks and the place that names it.
 * Neighbours: evidence.h puts scenes into findings, frames.h reads stacks.
 */
#ifndef MPSAN_CALLSITE_H
#define MPSAN_CALLSITE_H

#include "../symbols/frames.h"

struct callsite {
	const struct fact_place *at; /* NULL: there is no such scene */
	uint32_t tid;
	uint64_t time_ns;
	char *thread;
	json_t *native;
	json_t *python;
	char *where; /* "function (file:line)" */
	json_t *frame; /* what `where` says */
};

/* Who tells: the scenes' session. */
struct evidence_context {
	const struct reader *reader;
	struct frames *frames;
};

/* A thread with the stacks at these positions of the log of `at`. */
void callsite_init(const struct evidence_context *ctx, struct callsite *callsite,
		   const struct fact_place *at, uint32_t tid, uint64_t stack, uint64_t python);
void callsite_finish(struct callsite *callsite);

/*
 * Finds the place: Python speaks first if so asked, then the caller of the lock function, then the
 * first frame that is the program's own. A scene without a stack gets the caller as its only frame.
 */
void callsite_locate(const struct evidence_context *ctx, struct callsite *callsite, uint64_t caller,
		     bool python_first);

/* The thread as the subject of a sentence; NULL when there is no scene. Owned by the caller. */
char *callsite_actor(const struct callsite *callsite);

/*
 * A step of the report's evidence: `role` says what it is in the story, in the words of enum step_role, `at` is the
 * frame that names its place, or null. Takes over `what`.
 */
json_t *callsite_step(const struct evidence_context *ctx, const struct callsite *callsite,
		      enum step_role role, json_t *what);

/*
 * callsite_hash.c: mixes text, a frame or a scene into a fingerprint (64-bit FNV-1a; begin with CALLSITE_HASH), without what
 * differs between two runs, checkouts, machines or versions of Python.
 */
#define CALLSITE_HASH 0xcbf29ce484222325ull
void callsite_hash_text(uint64_t *hash, const char *text);
void callsite_hash_frame(uint64_t *hash, const json_t *frame);
void callsite_hash(uint64_t *hash, const struct callsite *callsite);

#endif
