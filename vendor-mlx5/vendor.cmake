# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
#
# The library whose calls this folder makes.
pkg_check_modules(MLX5 REQUIRED IMPORTED_TARGET libmlx5)
set(vendor_libraries PkgConfig::MLX5)
# What its calls need in the C files of `ibvet repro`.
set(vendor_parts repro_parts.h look_cqe.h signature.h mkey.h cancel.h)
