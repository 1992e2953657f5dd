/*
 * A library of the kind that Python programs load through ctypes: it guards its data by a mutex of its own, and
 * calls back into Python. Functions marked "with the GIL" are called through ctypes.PyDLL, which keeps the
 * global interpreter lock; all others through ctypes.CDLL, which lets it go.
 */
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int native_init(void);
void native_visit(void (*each)(void));
void native_until_inside(void);
void native_add(void);
void native_ask(void);
void native_answer(void);
void native_keep(unsigned ms);
void native_nap(unsigned ms);

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int first_gate[2], second_gate[2]; /* pipes */
static int entries, answers;

static void open_gate(int *gate)
{
	if (write(gate[1], "", 1) != 1)
		abort();
}

static void wait_at(int *gate)
{
	char byte;

	if (read(gate[0], &byte, 1) != 1)
		abort();
}

int native_init(void)
{
	return pipe(first_gate) | pipe(second_gate);
}

/* Calls back with the mutex held, and not before native_add() is on its way to it. */
void native_visit(void (*each)(void))
{
	pthread_mutex_lock(&mutex);
	open_gate(first_gate);
	wait_at(second_gate);
	each();
	pthread_mutex_unlock(&mutex);
}

/* Returns when another thread has the mutex, in native_visit(), native_ask() or native_keep(). */
void native_until_inside(void)
{
	wait_at(first_gate);
}

/* With the GIL. */
void native_add(void)
{
	open_gate(second_gate);
	pthread_mutex_lock(&mutex);
	entries++;
	pthread_mutex_unlock(&mutex);
}

/* With the GIL. */
void native_ask(void)
{
	pthread_mutex_lock(&mutex);
	open_gate(first_gate);
	while (answers == 0)
		pthread_cond_wait(&answered, &mutex);
	answers--;
	pthread_mutex_unlock(&mutex);
}

void native_answer(void)
{
	pthread_mutex_lock(&mutex);
	answers++;
	pthread_cond_signal(&answered);
	pthread_mutex_unlock(&mutex);
}

/* Keeps the mutex for a while and needs no GIL meanwhile. */
void native_keep(unsigned ms)
{
	pthread_mutex_lock(&mutex);
	open_gate(first_gate);
	native_nap(ms);
	pthread_mutex_unlock(&mutex);
}

void native_nap(unsigned ms)
{
	usleep(ms * 1000);
}
