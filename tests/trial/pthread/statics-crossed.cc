// Two static variables of functions need each other, and two threads use one of them first each.
// expect: deadlock-cycle error
// says: held by thread
// says: C\+\+ guard
// within: 6
#include <atomic>
#include <thread>

static void meet()
{
	static std::atomic<int> come;

	for (come++; come < 2;)
		std::this_thread::yield();
}

struct config {
	int value = 1;
	config();
	static config &get()
	{
		static config one;
		return one;
	}
};

struct logger {
	int level = 2;
	logger();
	static logger &get()
	{
		static logger one;
		return one;
	}
};

config::config()
{
	meet();
	value += logger::get().level;
}

logger::logger()
{
	meet();
	level += config::get().value;
}

int main()
{
	std::thread one([] { config::get(); }), other([] { logger::get(); });

	one.join();
	other.join();
}
