// The initialiser of std::call_once joins a thread that needs what it initialises, while another thread ticks.
// expect: deadlock-cycle error
// within: 6
// says: initialiser
#include <chrono>
#include <mutex>
#include <thread>

static std::once_flag made;

static void tick()
{
	for (;;)
		std::this_thread::sleep_for(std::chrono::milliseconds(300));
}

static void use()
{
	std::call_once(made, [] { std::thread(use).join(); });
}

int main()
{
	std::thread(tick).detach();
	use();
	return 0;
}
