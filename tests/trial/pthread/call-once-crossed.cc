// Two std::call_once: each initialiser needs what the other one initialises, and two threads enter from different sides.
// expect: deadlock-cycle error
// within: 6
// says: once flag "log_made"
#include <chrono>
#include <mutex>
#include <thread>

static std::once_flag log_made, settings_read;

static void read_settings();

static void pause_a_moment()
{
	std::this_thread::sleep_for(std::chrono::milliseconds(200));
}

static void make_log()
{
	std::call_once(log_made, [] {
		pause_a_moment();
		read_settings();
	});
}

static void read_settings()
{
	std::call_once(settings_read, [] {
		pause_a_moment();
		make_log();
	});
}

int main()
{
	std::thread first(make_log), second(read_settings);

	first.join();
	second.join();
	return 0;
}
