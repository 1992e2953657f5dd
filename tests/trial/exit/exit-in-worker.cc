/* A worker calls exit() where it cannot go on; the destructor of a static object waits until no worker is active. */
// expect: deadlock-cycle error
// within: 6
// says: a handler or destructor that exit\(\) runs
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <thread>

class Manager
{
	std::mutex lock;
	std::condition_variable changed;
	int active = 0;

	void work()
	{
		std::exit(2);
	}

      public:
	void run()
	{
		active = 1;
		std::thread([this] {
			work();
			std::lock_guard<std::mutex> guard(lock);
			active = 0;
			changed.notify_all();
		}).detach();
	}

	void wait_until_idle()
	{
		std::unique_lock<std::mutex> guard(lock);
		changed.wait(guard, [this] { return active == 0; });
	}

	~Manager()
	{
		wait_until_idle();
	}
};

static Manager manager;

int main()
{
	manager.run();
	manager.wait_until_idle();
	return 0;
}
