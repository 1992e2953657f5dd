/* A thread receives from a channel whose Sender it has itself, under the names that Rust gives to its functions. */
// expect: deadlock-cycle error
// says: main thread .*waits for an item of a Rust channel.*drop the receiving thread's own Sender
// within: 8
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

static unsigned word;

/* std::thread::thread::Thread::park, in the mangling v0. */
__attribute__((noinline)) long
parked(void) __asm__("_RNvMs_NtNtCsjrHSEGnQ3l9_3std6thread6threadNtB4_6Thread4park");
/* std::sync::mpmc::Receiver<T>::recv, in the older one. */
__attribute__((noinline)) long
received(void) __asm__("_ZN3std4sync4mpmc17Receiver$LT$T$GT$4recv17h0b1c7cbd2bfae1a7E");

long parked(void)
{
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) + 1;
}

long received(void)
{
	return parked() + 1;
}

static void *sends(void *unused)
{
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sends, NULL);
	pthread_join(thread, NULL);
	return (int)received();
}
