// SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
/*
 * Picks how the command of a call is changed. What the kernel has to refuse may
 * be changed in any call. Values that it may take are for calls that give it no
 * memory of the process and destroy nothing: a queue that the library believes
 * to be shorter, or an object that it believes to exist, would end the process.
 */
#include "fuzz/mutate/new_change.h"
#include "contract/commands.h"
#include "program/repro/parts/command.h"

#define ATTRS	 18 /* attributes of a method have small numbers */
#define REQUESTS 40 /* words of a request, at most */

static const uint8_t refused[] = {
	CHANGE_REQUEST,	      CHANGE_HEADER_LENGTH, CHANGE_ATTR_COUNT,
	CHANGE_RESERVED1,     CHANGE_RESERVED2,	    CHANGE_DRIVER_ID,
	CHANGE_OBJECT_ID,     CHANGE_METHOD_ID,	    CHANGE_ADD_MANDATORY,
	CHANGE_DOUBLE,	      CHANGE_ATTR_RESERVED, CHANGE_ZERO_TAIL,
	CHANGE_TAIL,	      CHANGE_POINTER,	    CHANGE_HANDLE,
	CHANGE_WRITE,	      CHANGE_WRITE_IN,	    CHANGE_WRITE_COUNT,
	CHANGE_WRITE_COMMAND,
};

/* Calls whose request may have any words */
static bool takes_any_word(enum verb verb)
{
	switch (verb) {
	case V_modify_qp:
	case V_query_qp:
	case V_modify_srq:
	case V_query_srq:
	case V_modify_cq:
	case V_modify_wq:
	case V_attach_mcast:
	case V_detach_mcast:
	case V_query_device_ex:
		return true;
	default:
		return false;
	}
}

static uint64_t any_value(struct changer *c)
{
	static const uint64_t values[] = {
		0,
		1,
		2,
		3,
		7,
		8,
		31,
		32,
		255,
		256,
		0x7fff,
		0xffff,
		0x10000,
		0x7fffffff,
		0x80000000,
		0xffffffff,
		UINT64_C(1) << 32,
		UINT64_C(1) << 63,
		UINT64_MAX,
	};
	unsigned int n = chance_below(&c->chance, 2 * COUNT(values));

	return n < COUNT(values) ? values[n]
				 : UINT64_C(1) << chance_below(&c->chance, 32);
}

/* A value that the kernel must refuse, whatever the call. */
static uint64_t refused_value(struct changer *c, uint32_t how)
{
	switch (how) {
	case CHANGE_OBJECT_ID:
	case CHANGE_METHOD_ID:
		return NO_SUCH_ID;
	case CHANGE_DRIVER_ID:
		return 0xfff0 + chance_below(&c->chance, 16);
	case CHANGE_HANDLE:
		return 0x7fffff00 + chance_below(&c->chance, 128);
	case CHANGE_POINTER:
		return chance_below(&c->chance, 2) ? POINTER_NULL
						   : POINTER_KERNEL;
	case CHANGE_WRITE_COMMAND:
		return 0x80 + chance_below(&c->chance, 0x80);
	case CHANGE_ZERO_TAIL:
	case CHANGE_TAIL:
		return UINT64_C(8) << chance_below(&c->chance, 9);
	default:
		return 1 + chance_below(&c->chance, 64);
	}
}

void new_command_change(struct changer *c, enum verb before)
{
	const bool word = takes_any_word(before) && chance_below(&c->chance, 2);
	const uint32_t how =
		word ? (uint32_t)CHANGE_WORD
		     : refused[chance_below(&c->chance, COUNT(refused))];

	prog_call(&c->made, V_change_command, NO_OBJ, NO_OBJ);
	prog_num(&c->made, F_change_how, how);
	prog_num(&c->made, F_change_attr,
		 word ? UVERBS_ATTR_CORE_IN : chance_below(&c->chance, ATTRS));
	if (word)
		prog_num(&c->made, F_change_offset,
			 4 * chance_below(&c->chance, REQUESTS));
	prog_num(&c->made, F_change_value,
		 word ? any_value(c) : refused_value(c, how));
}
