/* An exception leaves an explicit lock() without its unlock(), and who handles it takes the lock as well. */
// expect: self-deadlock error
// within: 6
// says: at report.* while handling disk::Full\('no space for item 3'\)
// outside: self-deadlock error: what the thread handles
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>

namespace disk
{
struct Full : std::runtime_error {
	using std::runtime_error::runtime_error;
};
}

static std::mutex lock;
static int stored;

static void store(int item)
{
	lock.lock();
	if (item == 3)
		throw disk::Full("no space for item " + std::to_string(item));
	stored += item;
	lock.unlock();
}

__attribute__((noinline)) static void report(const std::exception &error)
{
	std::lock_guard<std::mutex> guard(lock);

	std::printf("%d: %s\n", stored, error.what());
}

int main()
{
	for (int item = 0; item < 10; item++)
		try {
			store(item);
		} catch (const std::exception &error) {
			report(error);
		}
	return 0;
}
