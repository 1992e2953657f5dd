/*
 * Python frames of a thread, read from inside the process as plain memory: no allocation, no lock,
 * no reference count, no Python code run (facts 2.2). CPython 3.8 to 3.14 with a GIL. Uses sys_peek
 * for every pointer that Python may change, so a wrong answer is possible in theory, a crash is
 * not.
 */
#ifndef MPSAN_PYTHON_H
#define MPSAN_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../../include/mpsan_log.h"

/*
 * Looks for CPython among the loaded objects. Call it at rare events: at start and after a dlopen.
 * Walks the loader's list (see elf.h on when that is safe). Once something was found a call costs
 * one atomic load.
 */
void python_look(void);

/* CPython, of any version, is loaded and initialised. One atomic load while there is none. */
bool python_present(void);

/* Py_Version: 0x030b02f0 is 3.11.2; 0: none. Before 3.11 it is assumed to be a final release. */
uint32_t python_version(void);

/* NULL, or why frames cannot be read: constant text. The functions below then find nothing. */
const char *python_limit(void);

/* The calling thread holds the GIL. False in doubt: in a sub-interpreter of 3.8 to 3.11. */
bool python_holds_gil(void);

/*
 * Frames of a thread, innermost first, at most 64, each "function\tfile\tline\n" in UTF-8 (the
 * qualified name from 3.11 on; control characters are '?'; line 0: this code has none). Only whole
 * lines; the text ends with NUL; returns its length. `pthread` is pthread_self() of the thread; 0,
 * or the caller's own, works without the GIL; another thread is found only while the caller holds
 * the GIL, in the caller's interpreter. `room` is working memory (cpython/frame.h).
 */
struct walk;
size_t python_stack(uint64_t pthread, struct walk *room, char *text, size_t bytes)
	__attribute__((nonnull));

/*
 * A hash over the calling thread's frames, code and instruction of each: as long as it is the same,
 * so is python_stack(0), and it costs a few peeks. 0: there are none. Needs no GIL.
 */
uint64_t python_hash(void);

/* The calling thread has a state, and no Python code under way. A few peeks. */
bool python_is_idle(void);

/*
 * Whether a thread is in the interpreter: not yet at its very begin, and no more at its end, which
 * Thread.join of 3.12 and before does not wait for. True in doubt. Needs the GIL. `state`: 0 at
 * first, kept by the caller; a few peeks, and one for each thread when it is not found there.
 */
bool python_has_thread(uint64_t pthread, uint64_t *state) __attribute__((nonnull));

/* The name of a thread that threading started; "": not known. Needs what python_stack needs. */
size_t python_thread_name(uint64_t pthread, char *text, size_t bytes) __attribute__((nonnull));

/* Its outermost function: what a thread without such a name was started with. Needs the same. */
size_t python_thread_function(uint64_t pthread, char *text, size_t bytes) __attribute__((nonnull));

/*
 * What the outermost frames say about a thread. UNKNOWN: no frames, or it has not reached its
 * target yet, so ask again later. Needs what python_stack needs.
 */
enum mpsan_thread_role python_role(uint64_t pthread);
/* A queue's feeder holds no locks but those that a child makes anew; see cpython/process.h. */
bool python_only_feeds(uint64_t pthread);

/*
 * Whether a condition variable is the interpreter's own, which is to say the GIL's: it lies in
 * _PyRuntime (a sub-interpreter's own GIL of 3.12 on does not). Two compares; always safe.
 */
bool python_is_gil(const void *condition);

/* A module's name as 47 bits: the address of its MPSAN_LOCK_IMPORT claims. FNV-1a, never 0. */
uint64_t python_module_hash(const char *name) __attribute__((nonnull));

/*
 * Calls `see` for each module that a thread is loading, its import lock held, innermost first, at
 * most 8; names are cut at 255 bytes. Returns how many. Needs what python_stack needs. Two peeks
 * while no thread of the caller's interpreter imports anything; else the thread's frames are
 * walked, to the outermost.
 */
unsigned python_imports(uint64_t pthread,
			void (*see)(uint64_t hash, const char *name, void *context), void *context)
	__attribute__((nonnull(2)));

/*
 * The calling thread waits, or is about to, for another thread's import: the hash of that module's
 * name, which is written to `name`. 0: its innermost frame is not that of importlib's wait. Needs
 * no GIL. A few peeks.
 */
uint64_t python_awaited_import(char *name, size_t bytes) __attribute__((nonnull));

/*
 * The calling thread is in threading.Event.wait, called by the program itself: it may mean to wait
 * until it is ended.
 */
bool python_waits_for_event(void);

/* It is in queue.SimpleQueue.get, whose lock this is; see cpython/process.h. */
bool python_waits_for_simple(const void *lock);

/*
 * The calling thread is inside subprocess.Popen._execute_child (among its 8 innermost frames) with
 * a preexec_fn that is not None: true at its fork, and in the child while preexec_fn runs. Needs no
 * GIL.
 */
bool python_is_preexec(void);

/*
 * Where the calling thread's innermost Python frame stands: `instr` is the code under way there.
 * For telling later, in a forked child, whether Python code runs on top of that very call
 * (callbacks of os.register_at_fork do; what follows after fork() has returned does not). False
 * when there is no frame. Needs no GIL.
 */
struct python_mark {
	uint64_t frame, instr;
};
bool python_mark(struct python_mark *mark) __attribute__((nonnull));
bool python_above_mark(const struct python_mark *mark) __attribute__((nonnull));

/*
 * What multiprocessing does in the calling thread; see cpython/process.h. None needs the GIL. The
 * first costs a few peeks, those that look for a frame anywhere about one for each frame.
 */
uint64_t python_starting(void);
uint64_t python_started(void);
bool python_in_bootstrap(void);
bool python_loads_data(uint64_t process);
size_t python_process_name(uint64_t process, char *text, size_t bytes) __attribute__((nonnull));
bool python_runs_main(void);
bool python_calls(const char *function, const char *file) __attribute__((nonnull));
/*
 * Where the exception came from that the calling thread is handling, as python_stack writes frames.
 * 0: none is. Needs no GIL.
 */
size_t python_traceback(char *text, size_t bytes) __attribute__((nonnull));

/*
 * What a module's name stands for, 0: no such; for rare moments. Entries of a dictionary, -1: it is
 * none any more.
 */
uint64_t python_global(const char *module, const char *name) __attribute__((nonnull));
int64_t python_dict_used(uint64_t dict, uint64_t type);
uint64_t python_type(uint64_t object);
uint64_t python_model(uint64_t process, char *type, size_t bytes) __attribute__((nonnull));

#endif
