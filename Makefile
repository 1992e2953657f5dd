# Builds libmpsan.so and the mpsan command. `make help` lists the targets; V=1 shows full command lines.

# On all processors, unless a number of jobs is given.
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif

# make ARCH=aarch64 CROSS=aarch64-linux-gnu- SYSROOT=DIR builds for another processor, into a directory of its own.
ARCH := $(shell uname -m)
CROSS ?=
SYSROOT ?=
ifneq ($(CROSS),)
CC := $(CROSS)gcc $(SYSROOT:%=--sysroot=%)
CXX := $(CROSS)g++ $(SYSROOT:%=--sysroot=%)
endif
O := build$(CROSS:%=/$(ARCH))
CC ?= cc
HOSTCC ?= $(if $(CROSS),cc,$(CC))
PYTHON ?= /usr/bin/python3
PREFIX ?= /usr/local
DESTDIR ?=
LIBDIR ?= $(PREFIX)/lib
Q := $(if $(V),,@)
SAY = $(if $(V),@:,@printf '  %-5s %s\n')

# Warnings are errors in CI; a newer compiler than ours must not keep anybody from building.
WERROR ?= $(if $(CI),-Werror)
# A pointer that is an integer, or a function that nothing declares, is an error everywhere.
WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Werror=int-conversion \
	-Werror=implicit-function-declaration $(WERROR)
BASE := -std=gnu11 -D_GNU_SOURCE -g $(WARN) -MMD -MP
CFLAGS ?= -O2
# CPPFLAGS and LDFLAGS reach the command; the library, which must not be hardened by others, has its own flags last.

# The library: nothing but libc, no plain thread-local storage model, each frame described for the unwinder.
SHIM_FLAGS := $(BASE) -fPIC -fvisibility=hidden -fno-plt -ftls-model=initial-exec -fasynchronous-unwind-tables \
	-fno-stack-protector -fno-builtin-bcmp -fcf-protection=none -fstack-usage -U_FORTIFY_SOURCE
# libgcc's atomic operations would look for what the processor has, by a function that musl lacks.
SHIM_FLAGS += $(if $(filter aarch64,$(ARCH)),-mno-outline-atomics)
SHIM_LINK := -shared -nostartfiles -Wl,-z,defs -Wl,-z,noseparate-code -Wl,-z,now -Wl,-z,relro -Wl,--version-script=shim/exports.map \
	-Wl,-soname,libmpsan.so -Wl,--hash-style=gnu -Wl,-Bsymbolic-functions -Wl,--sort-section=name
# Readers of CPython's structures, for the library and the command: one object file serves both.
CPYTHON_SRC := $(wildcard shim/common/cpython/*.c)
# What a forked child runs until it execs comes first in the library: each 64 KiB of code that it touches are a page fault.
FORK_SRC := shim/intercept/arch/state.S $(addprefix shim/,$(addsuffix .c,hooks/process hooks/fd hooks/signal intercept/sys intercept/elf intercept/peek \
	intercept/mem intercept/text lifecycle/fork lifecycle/life lifecycle/stages lifecycle/exec lifecycle/exec_reach lifecycle/exec_env \
	record/thread record/state record/table record/slot record/log record/log_contents record/lock_hints record/callsite_cache record/modules locks/orphans \
	locks/fork_context locks/pshared_locks workers/cow workers/group workers/proc_events resources/descriptor \
	resources/shared_ofd resources/stdio resources/stream resources/dontfork python/python_find))
# Next comes what else the start of each program runs.
START_SRC := $(addprefix shim/,$(addsuffix .c,intercept/image intercept/hook intercept/racy intercept/signals common/rank record/setting record/seccomp record/session \
	record/identity locks/lock_order locks/libc_locks cuda/registry resources/fault cuda/cuda hooks/lock hooks/sync))
FIRST_SRC := $(FORK_SRC) shim/intercept/arch/$(ARCH).S $(START_SRC)
SHIM_SRC := $(FIRST_SRC) $(filter-out $(FIRST_SRC),$(wildcard shim/*/*.c)) $(CPYTHON_SRC)
SHIM_OBJ := $(SHIM_SRC:%=$(O)/obj/%.o)
COUNT_OBJ := $(SHIM_SRC:%=$(O)/count/%.o)

# So do the other files of shim/common.
COMMON_SRC := $(CPYTHON_SRC) $(wildcard shim/common/*.c)
COMMON_OBJ := $(COMMON_SRC:%=$(O)/obj/%.o)
# Manual pages are made by a program of their own; tools/dev is no part of the command.
TOOL_SRC := $(filter-out tools/man/%,$(wildcard tools/*/*.c tools/*/*/*.c))
TOPICS := $(sort $(patsubst tools/man/topics/%.md,%,$(wildcard tools/man/topics/*.md)))
DESCRIPTIONS := $(O)/man/mpsan.1 $(O)/man/libmpsan.7 $(O)/man/mpsan.bash $(O)/man/mpsan.zsh
TOPIC_PAGES := $(TOPICS:%=$(O)/man/mpsan-%.7)
# The page of --report html travels inside the command.
PAGE := $(wildcard tools/formats/html/*.html tools/formats/html/*.css tools/formats/html/*.js)
TOOL_OBJ := $(TOOL_SRC:%=$(O)/obj/%.o) $(O)/obj/tools/formats/html/page.S.o $(O)/obj/tools/cmd/topics.S.o
TOOL_LIBS := -lunwind-$(ARCH) -lunwind -ldw -lelf -ljansson -lncursesw -ltinfo -liberty
# STATIC=yes links all of them into the command, which then needs libc alone: for a wheel (tools/dev/make-wheel). Not all that
# distributions have was compiled for a PIE.
ifdef STATIC
TOOL_LIBS := -no-pie -static-libgcc -Wl,-Bstatic $(TOOL_LIBS) -lbz2 -llzma -lz -Wl,-Bdynamic -ldl -lpthread -lm
endif

# A stand-in for CUDA, for programs and tests on machines without a GPU.
FAKE := $(O)/fake/libcuda.so.1 $(O)/fake/libcudart.so.12 $(O)/fake/libcudart.so.13 $(O)/fake/libnccl.so.2

.PHONY: all tests demo check fuzz bench check-suites soak check-lessons check-trial check-attach check-healthy check-pythons check-beside check-gpu check-build check-package check-wheel check-distros check-aarch64 check-browser check-sanitize lint install uninstall help clean FORCE
all: $(O)/libmpsan.so $(O)/mpsan $(DESCRIPTIONS) $(TOPIC_PAGES) $(FAKE) ## build the library, the command, manual pages, completions and the stand-in for CUDA

$(O)/libmpsan.so: $(SHIM_OBJ) shim/exports.map
	$(SAY) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) $(SHIM_LINK) -o $@ $(SHIM_OBJ)

# The same with a counter in each hook: proves that every row of hooks.def intercepts.
$(O)/tests/libmpsan-count.so: $(COUNT_OBJ) shim/exports.map
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(SHIM_LINK) -o $@ $(COUNT_OBJ)

$(O)/mpsan: $(TOOL_OBJ) $(COMMON_OBJ)
	$(SAY) LINK $@
	$(Q)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOOL_OBJ) $(COMMON_OBJ) $(TOOL_LIBS)

$(O)/obj/shim/intercept/mem.c.o $(O)/count/shim/intercept/mem.c.o: SHIM_FLAGS += -fno-builtin
# The cost of a lock's hook varies by a sixth with its place in a cache line, and so with unrelated code: each begins with a line.
$(O)/obj/shim/hooks/lock.c.o $(O)/obj/shim/hooks/sync.c.o: SHIM_FLAGS += -falign-functions=64
$(O)/obj/shim/%.c.o: shim/%.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(SHIM_FLAGS) -c $< -o $@
$(O)/obj/shim/%.S.o: shim/%.S shim/intercept/arch/rows.S $(wildcard shim/hooks*.def)
	$(SAY) AS $<
	$(Q)mkdir -p $(@D) && $(CC) -c $< -o $@
$(O)/count/shim/%.c.o: shim/%.c
	$(SAY) CC $< [count]
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(SHIM_FLAGS) -DMPSAN_COUNT_HOOKS -c $< -o $@
$(O)/count/shim/%.S.o: shim/%.S shim/intercept/arch/rows.S $(wildcard shim/hooks*.def)
	$(Q)mkdir -p $(@D) && $(CC) -c $< -o $@
$(O)/obj/tools/%.c.o: tools/%.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(BASE) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# Where the command looks for the library, seen from where it is itself (a pattern as of glob): made anew when it changes.
LIBDIR_FROM_BIN := $(shell realpath -m --relative-to='$(PREFIX)/bin' '$(LIBDIR)')
$(O)/obj/tools/supervise/launch.c.o $(O)/fuzz/obj/tools/supervise/launch.c.o \
	$(O)/sanitize/obj/tools/supervise/launch.c.o: BASE += -DMPSAN_LIBDIR_FROM_BIN='"$(LIBDIR_FROM_BIN)"'
$(O)/obj/tools/supervise/launch.c.o: $(O)/libdir
$(O)/libdir: FORCE
	$(Q)mkdir -p $(@D) && { echo '$(LIBDIR_FROM_BIN)' | cmp -s - $@ || echo '$(LIBDIR_FROM_BIN)' >$@; }
FORCE:

# Manual pages and completions: templates, filled in from the tables by a program that is built with them.
MAN_OBJ := $(patsubst %.c,$(O)/obj/%.c.o,$(wildcard tools/man/*.c))
$(MAN_OBJ) $(O)/man/expand: CC := $(HOSTCC)
$(O)/man/expand: $(MAN_OBJ)
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) -o $@ $(MAN_OBJ)
$(DESCRIPTIONS): $(O)/man/%: tools/man/%.in $(O)/man/expand
	$(SAY) MAKE $@
	$(Q)$(O)/man/expand $< >$@.new && mv $@.new $@

# One source for each topic: a manual page, and a text that travels inside the command.
$(TOPIC_PAGES): $(O)/man/mpsan-%.7: tools/man/topics/%.md $(O)/man/expand
	$(SAY) MAKE $@
	$(Q)$(O)/man/expand --page $< >$@.new && mv $@.new $@
$(O)/man/topics/%.txt: tools/man/topics/%.md $(O)/man/expand
	$(Q)mkdir -p $(@D) && $(O)/man/expand --text $< >$@.new && mv $@.new $@
$(O)/obj/tools/cmd/topics.S.o: tools/cmd/topics.S tools/cmd/topics.def $(TOPICS:%=$(O)/man/topics/%.txt)
	$(SAY) AS $<
	$(Q)mkdir -p $(@D) && $(CC) -Wa,-I$(O)/man/topics -c $< -o $@

$(O)/obj/tools/formats/html/page.S.o: tools/formats/html/page.S $(PAGE)
	$(SAY) AS $<
	$(Q)mkdir -p $(@D) && $(CC) -c $< -o $@

# Test programs: one file each, except unit tests, which see the command's parts; those of rules need no library beside them.
SIGNED := $(if $(filter aarch64,$(ARCH)),-mbranch-protection=pac-ret) # return addresses, as Ubuntu and Debian 13 do
TEST_FLAGS := $(BASE) -Iinclude -iquote tests/preload -include shim/abi/glibc.h $(SIGNED)
# What glibc has in itself from 2.34 on, and a stand-in for functions that it got by 2.36.
IS_OLDER := $(shell printf '\043include <features.h>\n\043if !__GLIBC_PREREQ(2, 36)\nolder\n\043endif\n' | $(CC) -E -P - | grep older)
OLDER := $(if $(IS_OLDER),$(O)/tests/preload/lib/older.so)
TEST_LIBS := -pthread -Wl,--as-needed -ldl -lutil -lrt $(abspath $(OLDER)) -Wl,--no-as-needed
PRELOAD_SRC := $(filter-out %_test.c tests/preload/lib/%,$(wildcard tests/preload/*/*.c))
PRELOAD_BIN := $(PRELOAD_SRC:%.c=$(O)/%)
PRELOAD_LIB := $(patsubst %.c,$(O)/%.so,$(wildcard tests/preload/lib/*.c))
EXAMPLE_BIN := $(patsubst %.c,$(O)/%,$(wildcard examples/*.c examples/*/*.c))
BENCH_BIN := $(patsubst %.c,$(O)/%,$(wildcard tests/bench/*.c))
FAULT_BIN := $(patsubst %.c,$(O)/%,$(wildcard tests/faults/*.c tests/ended/*.c tests/attach/*.c))
TRIAL_CXX := $(patsubst %.cc,$(O)/%,$(wildcard tests/trial/*/*.cc))
TRIAL_BIN := $(patsubst %.c,$(O)/%,$(wildcard tests/trial/*/*.c)) $(TRIAL_CXX)
UNIT_BIN := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/test_*.c))
RULE_BIN := $(patsubst %.c,$(O)/%,$(wildcard tests/unit/rules/*.c))
UNIT_PART := $(patsubst %.c,$(O)/obj/%.c.o,$(filter-out tests/unit/test_%,$(wildcard tests/unit/*.c)))
SNIPPETS := $(O)/tests/snippets/libsnippets.so $(O)/tests/snippets/snippets
PAGE_BIN := $(O)/tests/browser/page
TESTS := $(PAGE_BIN) $(PRELOAD_BIN) $(PRELOAD_LIB) $(EXAMPLE_BIN) $(UNIT_BIN) $(RULE_BIN) $(FAULT_BIN) $(TRIAL_BIN) $(BENCH_BIN) $(SNIPPETS) \
	$(O)/tests/libmpsan-count.so $(FAKE)

$(UNIT_BIN) $(PRELOAD_BIN) $(EXAMPLE_BIN) $(BENCH_BIN) $(FAULT_BIN) $(TRIAL_BIN) $(SNIPPETS): | $(OLDER)
# Those that use CUDA link the stand-in for it; at run time LD_LIBRARY_PATH names one.
$(PRELOAD_BIN) $(FAULT_BIN): | $(FAKE)

# It stands before all functions that come back late.
$(O)/tests/preload/lib/late.so: | $(OLDER)
$(O)/tests/preload/lib/late.so: private BEHIND = $(abspath $(OLDER))

$(O)/tests/faults/errnos_streams: | $(O)/tests/preload/lib/ibverbs.so
$(O)/tests/faults/late $(O)/tests/faults/late_cuda $(O)/tests/faults/late_locks: | $(O)/tests/preload/lib/late.so

# A line `// link: WORDS` near a program's top adds to its command line.
LINK_LINE = $$(sed -n 's|^// link: ||p' $< | sed 's|build/|$(O)/|g')
$(O)/tests/trial/%: tests/trial/%.cc
	$(SAY) CXX $<
	$(Q)mkdir -p $(@D) && $(CXX) -std=gnu++17 -g -O1 -Wall -Wextra $(WERROR) -MMD -MP -o $@ $< -pthread -rdynamic
$(PRELOAD_BIN) $(EXAMPLE_BIN) $(BENCH_BIN) $(FAULT_BIN) $(filter-out $(TRIAL_CXX),$(TRIAL_BIN)): $(O)/%: %.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(TEST_FLAGS) -O1 -o $@ $< $(if $(findstring bench,$<),,-rdynamic) $(LINK_LINE) $(TEST_LIBS)
$(PRELOAD_LIB): $(O)/%.so: %.c
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(BASE) -O1 -fPIC -shared -Wl,-z,defs -o $@ $< -pthread -ldl -Wl,--no-as-needed -lrt $(BEHIND)
$(O)/tests/snippets/libsnippets.so: tests/snippets/snippets.c $(wildcard shim/hooks*.def) tests/snippets/snippets.def \
		$(FAKE) $(O)/tests/preload/lib/ibverbs.so
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(BASE) -O1 -U_FORTIFY_SOURCE -fPIC -include shim/abi/glibc.h -shared -Wl,-z,defs -o $@ $< $(TEST_LIBS) -lstdc++ -lgomp \
		$(O)/fake/libcuda.so.1 $(O)/fake/libcudart.so.13 $(O)/fake/libnccl.so.2 -L$(O)/tests/preload/lib -l:ibverbs.so \
		-Wl,-rpath,'$$ORIGIN/../../fake:$$ORIGIN/../preload/lib'
$(O)/tests/snippets/snippets: tests/snippets/snippets_main.c $(O)/tests/snippets/libsnippets.so
	$(SAY) LINK $@
	$(Q)$(CC) $(BASE) -o $@ $< -L$(O)/tests/snippets -lsnippets -Wl,-rpath,'$$ORIGIN'
$(O)/obj/tests/unit/%.c.o: tests/unit/%.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(BASE) -Itools -Iinclude $(if $(findstring /rules/,$<),-O0,-O1) -c $< -o $@
$(O)/parts.a: $(filter-out $(O)/obj/tools/cmd/mpsan.c.o $(O)/obj/tools/cmd/cmd_%,$(TOOL_OBJ)) $(COMMON_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^
$(UNIT_BIN): $(O)/%: $(O)/obj/%.c.o $(UNIT_PART) $(O)/parts.a
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) -o $@ $< $(UNIT_PART) $(O)/parts.a $(TOOL_LIBS) -lcmocka -lstdc++ $(TEST_LIBS)
$(RULE_BIN): $(O)/%: $(O)/obj/%.c.o $(O)/parts.a
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) -o $@ $< $(O)/parts.a -lcmocka

# Makes pages of --report html from JSON, as large and as hostile as a test wants them.
$(PAGE_BIN): $(O)/%: $(O)/obj/%.c.o $(O)/parts.a
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) -o $@ $< $(O)/parts.a $(TOOL_LIBS)
$(O)/obj/tests/browser/%.c.o: tests/browser/%.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(BASE) -Itools -Iinclude -O1 -c $< -o $@

# A stand-in for CUDA: a driver whose memory is shared memory, and a runtime above it that reaches it as the real one does.
FAKE_FLAGS := $(BASE) -O2 -fPIC -fvisibility=hidden -fno-strict-aliasing
FAKE_LINK := -shared -Wl,-z,defs -Wl,-Bsymbolic -pthread
FAKE_DRIVER := $(patsubst %.c,$(O)/fake/obj/%.o,$(wildcard tests/fake/*.c))
FAKE_RUNTIME := $(wildcard tests/fake/runtime/*.c)
$(O)/fake/obj/tests/%.o: tests/%.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(FAKE_FLAGS) -c $< -o $@
$(O)/fake/libcuda.so.1: $(FAKE_DRIVER)
	$(SAY) LINK $@
	$(Q)$(CC) $(FAKE_LINK) -Wl,-soname,$(@F) -o $@ $^
# Its functions call each other as the real one's do: through what is loaded before it.
$(O)/fake/libnccl.so.2: $(patsubst %.c,$(O)/fake/obj/%.o,$(wildcard tests/fake/nccl/*.c))
	$(SAY) LINK $@
	$(Q)echo '{ global: nccl*; local: *; };' >$(O)/fake/obj/nccl.map
	$(Q)$(CC) $(filter-out -Wl%-Bsymbolic,$(FAKE_LINK)) -Wl,-soname,$(@F) -Wl,--version-script=$(O)/fake/obj/nccl.map -o $@ $^ -ldl
# One source for each version of the runtime; its names carry the library's own as a version, as the real one's do.
define FAKE_RUNTIME_RULES
$(O)/fake/obj/$(1)/%.o: %.c
	$$(SAY) CC "$$< [$(1)]"
	$$(Q)mkdir -p $$(@D) && $$(CC) $$(FAKE_FLAGS) -DFAKE_RUNTIME=$(1) -c $$< -o $$@
$(O)/fake/libcudart.so.$(1): $(FAKE_RUNTIME:%.c=$(O)/fake/obj/$(1)/%.o)
	$$(SAY) LINK $$@
	$$(Q)echo 'libcudart.so.$(1) { global: cuda*; __cuda*; local: *; };' >$(O)/fake/obj/$(1)/exports.map
	$$(Q)$$(CC) $$(FAKE_LINK) -Wl,-soname,$$(@F) -Wl,--version-script=$(O)/fake/obj/$(1)/exports.map -o $$@ $$^ -ldl
endef
$(foreach version,12 13,$(eval $(call FAKE_RUNTIME_RULES,$(version))))

# The reading side under libFuzzer, ASan and UBSan: one program for each file that is no part, replay.c or capture.c.
FUZZ_CC ?= clang
FUZZ_SECONDS ?= 3600
FUZZ_FLAGS = $(BASE) -Wno-error -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
# Readers that compare little but addresses: traces of comparisons and calls only take time there.
UNTRACED := $(CPYTHON_SRC:%=$(O)/fuzz/obj/%.o) $(patsubst %.c,$(O)/fuzz/obj/%.c.o,$(wildcard tools/symbols/py*.c)) \
	$(patsubst %,$(O)/fuzz/obj/%.c.o,tests/fuzz/python tools/proc/proc)
$(UNTRACED): FUZZ_FLAGS += -O2 -fno-sanitize-coverage=trace-cmp,indirect-calls
FUZZ_PART := $(addprefix tests/fuzz/,ask_python.c change_words.c)
FUZZ_BIN := $(patsubst tests/%.c,$(O)/%,$(filter-out $(FUZZ_PART) %/replay.c %/capture.c,$(wildcard tests/fuzz/*.c)))
FUZZ_OBJ := $(patsubst $(O)/obj/%.c.o,$(O)/fuzz/obj/%.c.o,$(filter-out $(O)/obj/tools/cmd/mpsan.c.o $(O)/obj/tools/cmd/cmd_%,$(TOOL_OBJ)) $(COMMON_OBJ))
$(O)/fuzz/obj/%.c.o: %.c
	$(SAY) CC "$< [fuzz]"
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c $< -o $@
$(FUZZ_BIN): $(O)/fuzz/%: $(O)/fuzz/obj/tests/fuzz/%.c.o $(FUZZ_PART:%=$(O)/fuzz/obj/%.o) $(FUZZ_OBJ)
	$(SAY) LINK $@
	$(Q)$(FUZZ_CC) $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(TOOL_LIBS)
# The same entries and sanitizers without libFuzzer, several times as fast: so many rounds on changed inputs.
ROUNDS_BIN := $(FUZZ_BIN:$(O)/fuzz/%=$(O)/fuzz/rounds/%)
$(ROUNDS_BIN): $(O)/fuzz/rounds/%: $(O)/fuzz/obj/tests/fuzz/%.c.o $(O)/fuzz/obj/tests/fuzz/replay.c.o $(FUZZ_PART:%=$(O)/fuzz/obj/%.o) $(FUZZ_OBJ)
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(FUZZ_CC) $(FUZZ_FLAGS) -o $@ $^ $(TOOL_LIBS)
# The same entries in the ordinary build: the corpus runs in `make check`.
REPLAY_BIN := $(FUZZ_BIN:$(O)/fuzz/%=$(O)/tests/fuzz/replay_%)
$(O)/obj/tests/fuzz/%.c.o: tests/fuzz/%.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(BASE) -O1 -c $< -o $@
$(REPLAY_BIN): $(O)/tests/fuzz/replay_%: $(O)/obj/tests/fuzz/%.c.o $(O)/obj/tests/fuzz/replay.c.o
$(O)/tests/fuzz/capture: $(O)/obj/tests/fuzz/capture.c.o
$(REPLAY_BIN) $(O)/tests/fuzz/capture: $(FUZZ_PART:%=$(O)/obj/%.o) $(O)/parts.a
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) -o $@ $(filter %.o,$^) $(O)/parts.a $(TOOL_LIBS)
TESTS += $(REPLAY_BIN) $(O)/tests/fuzz/capture

# The command and the unit tests under ASan and UBSan; the library as ever.
SANITIZE = $(BASE) -DMPSAN_SANITIZED -Itools -Iinclude -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
SANITIZED := $(patsubst $(O)/obj/%.c.o,$(O)/sanitize/obj/%.c.o,$(TOOL_OBJ) $(COMMON_OBJ))
SANITIZED_PART := $(UNIT_PART:$(O)/%=$(O)/sanitize/%)
SANITIZED_UNIT := $(UNIT_BIN:$(O)/%=$(O)/sanitize/%) $(RULE_BIN:$(O)/%=$(O)/sanitize/%)
$(O)/sanitize/obj/%.c.o: %.c
	$(SAY) CC "$< [sanitize]"
	$(Q)mkdir -p $(@D) && $(CC) $(SANITIZE) -c $< -o $@
$(O)/sanitize/mpsan: $(SANITIZED) $(O)/libmpsan.so
	$(SAY) LINK $@
	$(Q)$(CC) $(SANITIZE) -o $@ $(SANITIZED) $(TOOL_LIBS) && ln -sfn ../libmpsan.so $(@D)/libmpsan.so && ln -sfn ../fake $(@D)/fake
$(O)/sanitize/parts.a: $(filter-out $(O)/sanitize/obj/tools/cmd/mpsan.c.o $(O)/sanitize/obj/tools/cmd/cmd_%,$(SANITIZED))
	$(Q)rm -f $@ && ar rcs $@ $^
$(SANITIZED_UNIT): $(O)/sanitize/%: $(O)/sanitize/obj/%.c.o $(SANITIZED_PART) $(O)/sanitize/parts.a
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(SANITIZE) -o $@ $< $(SANITIZED_PART) $(O)/sanitize/parts.a $(TOOL_LIBS) -lcmocka -pthread

fuzz: $(FUZZ_BIN) ## fuzz the readers of sessions, processes and files for FUZZ_SECONDS (3600) each, under ASan and UBSan
	$(Q)tests/fuzz/run $(FUZZ_SECONDS)

tests: all $(TESTS) ## build what the tests need, and run nothing

check: tests ## run every test that needs neither a GPU nor anything outside Debian's packages
	$(Q)tests/run

check-trial: all $(TRIAL_BIN) ## hanging programs in many dresses and healthy ones beside them: a table of what is told (15 minutes)
	$(Q)tests/trial/run.py

check-attach: tests ## examine all these programs, started bare, by mpsan attach: a table of what is told (15 minutes)
	$(Q)tests/attach/table.py -j 5

check-beside: tests ## py-spy, pystack and mpsan attach on the same ten hangs; PYSPY= and PYSTACK= name the tools
	$(Q)tests/attach/beside.py $(if $(PYSPY),--py-spy $(PYSPY)) $(if $(PYSTACK),--pystack $(PYSTACK))

check-build: all $(UNIT_BIN) $(RULE_BIN) $(O)/tests/libmpsan-count.so ## the tests that ask whether the build is right, for packagers
	$(Q)tests/run unit structure

# What is still allocated when the command ends goes with it.
check-sanitize: all $(O)/sanitize/mpsan $(SANITIZED_UNIT) ## unit tests, and the command on examples and sessions of past formats, under ASan and UBSan
	$(Q)BUILD=$(O)/sanitize ASAN_OPTIONS=detect_leaks=0 tests/run -t 180 unit golden examples

lint: ## clang-format, clang-tidy, shellcheck, ruff: those that are installed (make check runs all but clang-tidy)
	$(Q)tools/dev/lint

check-package: ## build the Debian packages, look at them with lintian, install them into a new Debian
	$(Q)tests/run package

demo: all $(EXAMPLE_BIN) ## run the main job on the examples and show its reports
	$(Q)examples/demo

bench: all $(BENCH_BIN) $(O)/tests/faults/crowd ## print the performance table
	$(Q)$(PYTHON) tests/bench/bench.py

check-lessons: ## add a hook, an event, a rule, a format and a sub-command to a copy of the sources, as the guides say
	$(Q)mkdir -p $(O) && tests/run lessons

SOAK_SECONDS ?= 7200
soak: tests ## one program over and over for SOAK_SECONDS (7200): growth of its memory, descriptors and logs, bare and watched
	$(Q)MPSAN_SOAK=$(SOAK_SECONDS) tests/run -v faults/test_soak.py

check-suites: tests ## other people's tests, bare and under the library, in stages (tests/README.md): hours
	$(Q)tests/run suites

AARCH64_FILES := $(CURDIR)/build/aarch64-root
check-aarch64: ## cross-build for aarch64, run the tests on an emulated one; ON=GROUPS (tools/dev/bootstrap --aarch64, an hour and a half)
	$(Q)tests/aarch64/run.py --there && $(MAKE) ARCH=aarch64 CROSS=aarch64-linux-gnu- SYSROOT=$(AARCH64_FILES) tests && tests/aarch64/run.py $(ON)

check-wheel: ## build the wheel twice, look at it with auditwheel, install it into four releases of Debian (pip, uv)
	$(Q)mkdir -p $(O) && tests/run wheel

check-distros: ## build and test on minimal releases of Debian and Ubuntu: a table (tools/dev/bootstrap --package)
	$(Q)mkdir -p $(O) && $(PYTHON) tests/distros/run.py

check-healthy: tests ## healthy programs on each Python at hand, 300 pairs of a bare and a watched run
	$(Q)tests/pythons/healthy.py

check-pythons: tests ## programs with Python locks on each Python at hand: a table (tools/dev/bootstrap --pythons)
	$(Q)tests/pythons/run.py

check-browser: all $(PAGE_BIN) ## look at the HTML report in headless Chromium (tools/dev/bootstrap --browser)
	$(Q)tests/run browser

# Twelve tests at a time: each process that uses the device takes half a GiB of its memory.
check-gpu: ## tests that need a GPU; says so when there is none (MPSAN_GPU_FAKE=1: what the stand-in can serve)
	$(Q)if [ "$$MPSAN_GPU_FAKE" ]; then $(MAKE) $(FAKE); else tests/gpu/present; fi && \
	$(MAKE) tests && tests/run -j 12 gpu

# What is installed, and where.
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
DOCDIR ?= $(DATADIR)/doc/mpsan
INSTALLED = $(PREFIX)/bin/mpsan $(LIBDIR)/libmpsan.so $(LIBDIR)/pkgconfig/mpsan.pc $(PREFIX)/include/mpsan.h \
	$(MANDIR)/man1/mpsan.1 $(MANDIR)/man7/libmpsan.7 $(TOPICS:%=$(MANDIR)/man7/mpsan-%.7) $(DATADIR)/bash-completion/completions/mpsan \
	$(DATADIR)/zsh/site-functions/_mpsan
EXAMPLE_DIRS := $(wildcard examples/ci examples/fleet)

install: all ## install under PREFIX (with DESTDIR, LIBDIR)
	install -d $(addprefix $(DESTDIR),$(sort $(dir $(INSTALLED))) $(DOCDIR))
	install -m 755 $(O)/mpsan $(DESTDIR)$(PREFIX)/bin/mpsan
	install -m 755 $(O)/libmpsan.so $(DESTDIR)$(LIBDIR)/libmpsan.so
	$(O)/man/expand tools/man/mpsan.pc.in prefix=$(PREFIX) libdir=$(LIBDIR) >$(DESTDIR)$(LIBDIR)/pkgconfig/mpsan.pc
	chmod 644 $(DESTDIR)$(LIBDIR)/pkgconfig/mpsan.pc
	install -m 644 include/mpsan.h $(DESTDIR)$(PREFIX)/include/mpsan.h
	install -m 644 $(O)/man/mpsan.1 $(DESTDIR)$(MANDIR)/man1/mpsan.1
	install -m 644 $(O)/man/libmpsan.7 $(TOPIC_PAGES) $(DESTDIR)$(MANDIR)/man7
	install -m 644 $(O)/man/mpsan.bash $(DESTDIR)$(DATADIR)/bash-completion/completions/mpsan
	install -m 644 $(O)/man/mpsan.zsh $(DESTDIR)$(DATADIR)/zsh/site-functions/_mpsan
	install -m 644 README.md LICENSE $(DESTDIR)$(DOCDIR)
	install -m 644 -D -t $(DESTDIR)$(DOCDIR)/examples examples/report.png
	for dir in $(EXAMPLE_DIRS); do install -d $(DESTDIR)$(DOCDIR)/$$dir && cp -R $$dir/. $(DESTDIR)$(DOCDIR)/$$dir && \
		find $(DESTDIR)$(DOCDIR)/$$dir -name __pycache__ -prune -exec rm -r {} + || exit 1; done

uninstall: ## remove what install has put there
	rm -f $(addprefix $(DESTDIR),$(INSTALLED))
	rm -rf $(DESTDIR)$(DOCDIR)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

clean:
	rm -rf build

-include $(shell find $(O) \( -path '$(O)/tmp*' -o -path $(O)/pythons -o -path $(O)/distros -o -path $(O)/suites -o -path '$(O)/aarch64*' \) -prune -o -name '*.d' -type f -print 2>/dev/null)
