// A thread that is to keep a promise fails before it does, and handles its error.
// expect: deadlock-cycle error
// within: 6
// says: waits for the result of a std::future
// says: set each std::promise on every path
#include <future>
#include <stdexcept>
#include <thread>

static std::promise<int> promise;

static void load()
{
	try {
		throw std::runtime_error("no such model");
		promise.set_value(1);
	} catch (const std::exception &) {
	}
}

int main()
{
	std::thread thread(load);

	thread.join();
	return promise.get_future().get();
}
