/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inputs of the fuzz target `uverbs`: commands to the kernel's side of a
 * virtual device, as bytes that nearly always mean something.
 *
 * A command is the number of its method, how it is damaged, and its attributes
 * in the order of the method's table: for each how it is there, and what it
 * says. What it says is zero, but for places: an offset, a kind of value, the
 * value. An input that ends early goes on with zeros.
 */
#ifndef IBVET_FUZZ_COMMANDS_H
#define IBVET_FUZZ_COMMANDS_H

#include "virtual/uverbs/object.h"

/* Memory of the program, which a device may be given; nothing is next to it. */
#define COMMAND_MEMORY (1u << 20)
#define COMMAND_GRAIN  64u /* of pointers into it */
#define COMMAND_ATTRS  (METHOD_MAX_ATTRS + 4)

/* What an attribute is like. */
enum how {
	HOW_USUAL,     /* there if it has to be, as long as it has to be */
	HOW_OTHERWISE, /* there if it need not be */
	HOW_LONG,      /* there, of a length that follows */
	HOW_NR
};

enum patch {
	PATCH_BYTE,
	PATCH_WORD,
	PATCH_LONG,
	PATCH_MEMORY, /* a pointer into the memory of the program */
	PATCH_ASTRAY, /* one to where nothing is */
	PATCH_ONES,
	PATCH_NR
};

enum damage {
	DAMAGE_NONE,
	DAMAGE_LENGTH,
	DAMAGE_RESERVED,
	DAMAGE_DRIVER,
	DAMAGE_UNKNOWN, /* an attribute that no method has */
	DAMAGE_TWICE,
	DAMAGE_FLAGS,
	DAMAGE_NR
};

/* A method, or one of the commands that were a write() each. */
struct entry {
	const struct method *method;
	uint32_t legacy;
	bool is_legacy;
};

/* Those of a device, in an order that stays; the numbers behind them are
 * orders to the program: */
#define MAX_ENTRIES 128
#define ORDER_WRITE 0 /* bytes into its memory */
#define ORDER_RING  1 /* the doorbells of all queues */
#define ORDER_CLOSE 2 /* a descriptor that a command gave */
#define ORDERS	    3

struct entries {
	struct entry entry[MAX_ENTRIES];
	unsigned int n;
	bool granted[MAX_ENTRIES]; /* once at least */
};
void entries_of(const struct virtual_device *d, struct entries *e);
const char *entry_name(const struct entry *e);
/* The attributes of one, without end mark: how many. */
unsigned int entry_attrs(const struct entry *e,
			 struct attr_spec attrs[COMMAND_ATTRS]);
/* How long one has to be; is it one that has to be there? */
size_t entry_least(const struct entry *e, const struct attr_spec *a);
bool entry_wants(const struct entry *e, const struct attr_spec *a);

/* Runs an input on a file of the device, which is closed afterwards; false with
 * a line in err: a command did what none may. */
bool commands_run(const struct virtual_device *d, struct entries *e,
		  const uint8_t *data, size_t size, char *err, size_t errlen);

#endif
