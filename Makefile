# Builds libmpsan.so and the mpsan command. `make help` lists the targets; V=1 shows full command lines.

CC ?= cc
PYTHON ?= /usr/bin/python3
PREFIX ?= /usr/local
DESTDIR ?=
LIBDIR ?= $(PREFIX)/lib
ARCH := $(shell uname -m)
Q := $(if $(V),,@)
SAY = $(if $(V),@:,@printf '  %-5s %s\n')

WARN := -Wall -Wextra -Wshadow -Wmissing-prototypes -Wstrict-prototypes -Werror
BASE := -std=gnu11 -D_GNU_SOURCE -g $(WARN) -MMD -MP
CFLAGS ?= -O2

# The library: nothing but libc, no plain thread-local storage model, each frame described for the unwinder.
SHIM_FLAGS := $(BASE) -fPIC -fvisibility=hidden -fno-plt -ftls-model=initial-exec -fasynchronous-unwind-tables \
	-fno-stack-protector -fcf-protection=none -fstack-usage
SHIM_LINK := -shared -Wl,-z,defs -Wl,-z,now -Wl,-z,relro -Wl,--version-script=shim/exports.map \
	-Wl,-soname,libmpsan.so -Wl,--hash-style=gnu
SHIM_SRC := $(wildcard shim/*.c shim/hooks/*.c) shim/arch/$(ARCH).S
SHIM_OBJ := $(SHIM_SRC:%=build/obj/%.o)
COUNT_OBJ := $(SHIM_SRC:%=build/count/%.o)

CORE_SRC := $(wildcard shim/core/*.c shim/rules/*.c)
CORE_OBJ := $(CORE_SRC:%=build/obj/%.o)
TOOL_SRC := $(wildcard tools/*.c)
TOOL_OBJ := $(TOOL_SRC:%=build/obj/%.o)
TOOL_LIBS := -lunwind-$(ARCH) -lunwind -ldw -lelf -ljansson -lstdc++

.PHONY: all demo check bench check-suites check-gpu install help clean
all: build/libmpsan.so build/mpsan ## build the library and the command

build/libmpsan.so: $(SHIM_OBJ) shim/exports.map
	$(SAY) LINK $@
	$(Q)$(CC) $(CFLAGS) $(SHIM_LINK) -o $@ $(SHIM_OBJ)

# The same with a counter in each hook: proves that every row of hooks.def intercepts.
build/tests/libmpsan-count.so: $(COUNT_OBJ) shim/exports.map
	$(SAY) LINK $@
	$(Q)mkdir -p $(@D) && $(CC) $(CFLAGS) $(SHIM_LINK) -o $@ $(COUNT_OBJ)

build/mpsan: $(TOOL_OBJ) $(CORE_OBJ)
	$(SAY) LINK $@
	$(Q)$(CC) $(CFLAGS) -o $@ $(TOOL_OBJ) $(CORE_OBJ) $(TOOL_LIBS)

build/obj/shim/core/%.o build/obj/shim/rules/%.o: EXTRA := -ffreestanding
build/obj/shim/%.c.o: shim/%.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(SHIM_FLAGS) $(CFLAGS) -c $< -o $@
build/obj/shim/%.S.o: shim/%.S shim/hooks.def
	$(SAY) AS $<
	$(Q)mkdir -p $(@D) && $(CC) -c $< -o $@
build/count/shim/%.c.o: shim/%.c
	$(SAY) CC $< [count]
	$(Q)mkdir -p $(@D) && $(CC) $(SHIM_FLAGS) -DMPSAN_COUNT_HOOKS $(CFLAGS) -c $< -o $@
build/count/shim/%.S.o: shim/%.S shim/hooks.def
	$(Q)mkdir -p $(@D) && $(CC) -c $< -o $@
build/obj/tools/%.c.o: tools/%.c
	$(SAY) CC $<
	$(Q)mkdir -p $(@D) && $(CC) $(BASE) $(CFLAGS) -c $< -o $@

-include $(shell find build -name '*.d' 2>/dev/null)
