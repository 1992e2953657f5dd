/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The call site of a step: a thread at one moment, with its stacks and the frame that names the
 * place. Neighbours: evidence.h puts steps into findings, frames.h reads stacks.
 */
#pragma once

#include "../../shim/common/hash.h"
#include "../symbols/frames.h"

struct callsite {
	const struct fact_place *at; /* NULL: the finding has no such step */
	uint32_t tid;
	uint64_t time_ns;
	char *thread;
	json_t *native;
	json_t *python;
	char *where; /* "function (file:line)" */
	json_t *frame; /* the frame in `where` */
	json_t *handling; /* the exception that it handles: see ../symbols/raised.h; NULL: none is known */
	char *taken; /* of a lock's holder: where it took it, as `where`; NULL: unknown */
};

/* What all parts of a finding's evidence are read from. */
struct evidence_context {
	const struct reader *reader;
	struct frames *frames;
};

/* Initialises a call site: a thread, and its stacks at these positions of the log of `at`. */
void callsite_init(const struct evidence_context *ctx, struct callsite *callsite,
		   const struct fact_place *at, uint32_t tid, uint64_t stack, uint64_t python);
void callsite_finish(struct callsite *callsite);
/* Its `where`, or that it is unknown; the caller frees it. */
char *callsite_where(const struct callsite *callsite);
/* The same with what it handles, which a headline may leave out. The caller frees it. */
char *callsite_waits(const struct callsite *callsite);
/* Reads the exception that it handles, too, at that position. */
void callsite_handles(const struct evidence_context *ctx, struct callsite *callsite,
		      uint64_t raised);

/* The innermost of the Python frames at a position of the log of `at`, as text; NULL: none. The caller frees it. */
char *callsite_line(const struct evidence_context *ctx, const struct fact_place *at,
		    uint64_t python);

/*
 * Finds the place: the innermost Python frame if `python_first`, else the caller of the lock
 * function, else the first frame of the program's own code. A call site without a stack gets the
 * caller as its only frame.
 */
void callsite_locate(const struct evidence_context *ctx, struct callsite *callsite, uint64_t caller,
		     bool python_first);

/*
 * " in the handler of SIGALRM", or "" if neither its native stack has a handler nor its Python
 * frames one of `handlers` ("SIGTERM, handled at stop (serve.py:12); ..."; may be NULL). The caller
 * frees it.
 */
char *callsite_handler(const struct callsite *callsite, const char *handlers);

/* `where`, but NULL if that is in a header of the C++ library. */
const char *callsite_place(const struct callsite *callsite);

/* The fix in the language of the process: Python, or another. The caller frees it. */
char *callsite_fix(const struct evidence_context *ctx, const struct callsite *callsite,
		   const char *fix);

/* Whether its Python frames begin as those of a main thread do: none begins in threading.Thread. */
bool callsite_is_of_main(const struct callsite *callsite);

/* The thread as the subject of a sentence, which the caller frees; NULL if there is none. */
char *callsite_actor(const struct callsite *callsite);

/*
 * A step of the report's evidence: `role` is the text of enum step_role, `at` the frame that names
 * its place, or null. Takes over `what`.
 */
json_t *callsite_step(const struct evidence_context *ctx, const struct callsite *callsite,
		      enum step_role role, json_t *what);

/*
 * callsite_hash.c: mix a text, the name of a lock, a frame or a call site into a fingerprint (64-bit FNV-1a; start with
 * HASH_EMPTY), without anything that differs between equal runs, checkouts, machines or versions
 * of Python.
 */
void callsite_hash_text(uint64_t *hash, const char *text);
void callsite_hash_lock(uint64_t *hash, const char *key); /* lock_key */
void callsite_hash_frame(uint64_t *hash, const json_t *frame);
void callsite_hash(uint64_t *hash, const struct callsite *callsite);
