/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * Tag matching: the list of tags of an SRQ (tag_list.c), which message goes to
 * which buffer (tag_match.c), and what completions tell of it
 * (tag_completion.c).
 *
 * The operations of an SRQ and the buffers in its list stand in list 0 of the
 * SRQ's slot, in the order in which they were posted.
 */
#ifndef IBVET_MODEL_TAG_H
#define IBVET_MODEL_TAG_H

#include "model/internal.h"

#define TMH_LEN	       16 /* struct ibv_tmh */
#define RVH_LEN	       16 /* struct ibv_rvh */
#define TM_MATCH_FLAGS (IBV_WC_TM_MATCH | IBV_WC_TM_DATA_VALID)

/* The headers of a message to a tag-matching SRQ. */
struct tm_message {
	bool comes;  /* the message is one to a tag-matching SRQ */
	bool no_tag; /* and has the opcode NO_TAG */
	uint8_t opcode;
	uint32_t app_ctx;
	uint64_t tag;
	/* Of a rendezvous request: the payload */
	struct place payload;
	uint32_t length;
	uint32_t rkey;		 /* 0: that of the region */
	struct model_wr *buffer; /* that matches, or NULL */
};

/* Returns true if a queue pair receives through a tag-matching SRQ. */
bool tm_takes(const struct model *m, uint16_t peer);
/* Reads the headers of a message. Returns true if a buffer matches. */
bool tm_match(struct step *s, struct model_wr *w, uint16_t peer,
	      struct tm_message *t);
/* Gives a message to the buffer that matches. */
enum fate tm_deliver(struct step *s, struct model_wr *w, uint16_t peer,
		     const struct tm_message *t);
/* Notes that receive `r` of the SRQ took a message without a matching tag. */
void tm_note_unexpected(struct step *s, const struct model_wr *w,
			struct model_wr *r, const struct tm_message *t);

/* Carries out an operation that a library has put into a ring. */
void tm_post_taken(struct step *s);
/* Drops the operations and buffers of an SRQ that is destroyed. */
void tm_srq_gone(struct step *s, uint16_t srq);
/* Returns true if an operation on the SRQ may not have been carried out yet. */
bool tm_ops_unseen(struct model *m, uint16_t srq);
/* Returns true if a message to the SRQ, of another queue pair than `but`, may
 * not have arrived yet. */
bool tm_messages_unseen(struct model *m, uint16_t srq, uint16_t but);

/* Returns the row that a completion about tags rests on. */
enum row tm_row(const struct model_wr *w);
enum row tm_flags_row(const struct model_wr *w);
/* Returns the opcode of a completion: the opcode that the device shows, if it
 * is permitted. */
uint64_t tm_opcode(struct step *s, const struct model_wr *w, enum field f);
/* Returns true if the completion of a request may have this opcode, too. */
bool tm_may_show_as(const struct model_wr *w, uint32_t opcode);
/* Returns TM_SYNC_REQ or 0 for the completion of an operation; *row is the row
 * that says so, ROW_NONE: no row does. `seen`: the flags that the device
 * shows. */
uint64_t tm_sync_flag(struct step *s, const struct model_wr *w, uint64_t seen,
		      enum row *row);
/* Keeps what the completion tells of the message's header, for the fields of an
 * extended queue. */
void tm_tell(struct step *s, const struct model_wr *w);
/* For a ring: gives the device what completion number `n` tells of tags: tag
 * and user data of a message, or, for an operation, the count of unexpected
 * messages as the tag. Returns false if the completion tells nothing. */
bool tm_tell_ring(struct step *s, unsigned int n, const struct model_wr *w);

#endif
