/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of the name of a function of C++ or Rust. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/util.h"
#include "symbols/function_name.h"

static void names(const char *name, const char *expected)
{
	AUTO_FREE char *text = function_name_short(name);

	assert_string_equal(text, expected);
}

static void a_name_loses_what_does_not_matter(void **state)
{
	(void)state;
	names("Registry<std::map<int, char>, (unsigned char)7>::get(std::vector<int> const&, int)",
	      "Registry::get");
	names("foo(int)", "foo");
	names("void std::__invoke_impl<void, main::{lambda()#1}>(std::__invoke_other)",
	      "std::__invoke_impl");
	names("std::__invoke_result<main::{lambda()#1}>::type std::__invoke<int>(int&&)",
	      "std::__invoke");
	names("main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()");
	names("f(int)::{lambda()#2}::operator()() const [clone .cold]",
	      "f::{lambda#2}::operator()");
	names("(anonymous namespace)::pool::work((anonymous namespace)::job*)", "pool::work");
	names("std::ostream& operator<< <char>(std::ostream&, char)", "operator<<");
	names("a::b::operator->() const", "a::b::operator->");
	names("a::b::operator bool() const", "a::b::operator bool");
	names("operator new(unsigned long)", "operator new");
	names("non-virtual thunk to a::b()", "a::b");
	names("a::~a()", "a::~a");
	names("std::shared_ptr<a> make<a>(int) [clone .isra.0]", "make");
}

static void a_name_of_rust_loses_what_does_not_matter(void **state)
{
	(void)state;
	names("<app::Job<T> as core::ops::drop::Drop>::drop", "app::Job::drop");
	names("<std::sys::thread::unix::Thread>::join", "std::sys::thread::unix::Thread::join");
	names("core::ptr::drop_in_place::<std::sync::mutex::MutexGuard<u32>>",
	      "core::ptr::drop_in_place");
	names("std::thread::spawn::<fn(u8) -> bool, ()>::{closure#0}",
	      "std::thread::spawn::{closure#0}");
	names("core::fmt::num::<impl core::fmt::Debug for i32>::fmt", "core::fmt::num::fmt");
	names("app::main::{{closure}}", "app::main::{{closure}}");
	names("<app::Job as", "<app::Job as");
}

static void other_names_stay(void **state)
{
	(void)state;
	names("main", "main");
	names("<module>", "<module>");
	names("f.<locals>.<lambda>", "f.<locals>.<lambda>");
	names("", "");
	names("(", "(");
	names("::", "::");
	names("a::b<", "a::b");
	names("my operator::x", "operator::x");
	names("<(a)>(b)", "<(a)>(b)");
}

static void any_text_is_a_name(void **state)
{
	static const char parts[] = "ab:<>() operator{}#[],&*~";
	unsigned seed = 1;

	(void)state;
	for (unsigned turn = 0; turn < 20000; turn++) {
		char text[40], *to = text;

		while (to < text + sizeof(text) - 1)
			*to++ = parts[(seed = seed * 1103515245 + 12345) / 65536 %
				      (sizeof(parts) - 1)];
		*to = '\0';
		{
			AUTO_FREE char *name = function_name_short(text);

			assert_true(*name && strlen(name) <= strlen(text));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_loses_what_does_not_matter),
		cmocka_unit_test(a_name_of_rust_loses_what_does_not_matter),
		cmocka_unit_test(other_names_stay),
		cmocka_unit_test(any_text_is_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
