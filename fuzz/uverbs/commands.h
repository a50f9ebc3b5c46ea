/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Inputs of the fuzz target `uverbs`: commands to the kernel's side of a
 * virtual device, in a form in which nearly all bytes are valid.
 *
 * A command is the number of its entry, an enum damage, and its attributes in
 * the order of the method's table. An attribute is an enum how, and its
 * content: zeros with patches, each of which is an offset, an enum patch, and a
 * value. An input that ends early continues with zeros.
 */
#ifndef IBVET_FUZZ_COMMANDS_H
#define IBVET_FUZZ_COMMANDS_H

#include "virtual/uverbs/object.h"

/* Size of the memory for commands to point to, between unmapped pages */
#define COMMAND_MEMORY (1u << 20)
#define COMMAND_GRAIN  64u /* pointers are multiples of it */
#define COMMAND_ATTRS  (METHOD_MAX_ATTRS + 4)

/* Whether a command has an attribute, and of which length */
enum how {
	HOW_USUAL,     /* if it is required, with the least length */
	HOW_OTHERWISE, /* if it is not required */
	HOW_LONG,      /* yes, with a length that follows */
	HOW_NR
};

enum patch {
	PATCH_BYTE,
	PATCH_WORD,
	PATCH_LONG,
	PATCH_MEMORY, /* a pointer into that memory */
	PATCH_ASTRAY, /* a pointer to where nothing is mapped */
	PATCH_ONES,
	PATCH_NR
};

/* What is wrong with the header or the list of attributes of a command */
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

/* A method, or a command of the old write() interface. */
struct entry {
	const struct method *method;
	uint32_t legacy;
	bool is_legacy;
};

/* The entries of a device, in a fixed order. The numbers after the last entry
 * are orders to the fuzz target itself: */
#define MAX_ENTRIES 128
#define ORDER_WRITE 0 /* write bytes into the memory for commands */
#define ORDER_RING  1 /* ring the doorbells of all queues */
#define ORDER_CLOSE 2 /* close a descriptor that a command returned */
#define ORDERS	    3

struct entries {
	struct entry entry[MAX_ENTRIES];
	unsigned int n;
	bool granted[MAX_ENTRIES]; /* at least once */
};
void entries_of(const struct virtual_device *d, struct entries *e);
const char *entry_name(const struct entry *e);
/* Lists the attributes of an entry, without end mark. Returns how many. */
unsigned int entry_attrs(const struct entry *e,
			 struct attr_spec attrs[COMMAND_ATTRS]);
/* Return the least length of an attribute, and whether it is required. */
size_t entry_least(const struct entry *e, const struct attr_spec *a);
bool entry_wants(const struct entry *e, const struct attr_spec *a);

/* Runs an input on a file of the device, and closes the file. Returns false
 * with a line in err if a command did something that is never allowed. */
bool commands_run(const struct virtual_device *d, struct entries *e,
		  const uint8_t *data, size_t size, char *err, size_t errlen);

#endif
