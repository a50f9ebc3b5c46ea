/* SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause */
/*
 * The headers that every C file of `repro` includes.
 */
#pragma once
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* part: main */
