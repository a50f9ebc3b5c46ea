# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The library whose calls this folder makes.
pkg_check_modules(MLX5 REQUIRED IMPORTED_TARGET libmlx5)
# AES-XTS of an mkey's data, in the model.
pkg_check_modules(NETTLE REQUIRED IMPORTED_TARGET nettle)
set(vendor_libraries PkgConfig::MLX5 PkgConfig::NETTLE)
# What its calls need in the C files of `ibvet repro`.
set(vendor_parts repro_parts.h look_cqe.h signature.h crypto.h mkey.h cancel.h
    raw_wqe.h)
