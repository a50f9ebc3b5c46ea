# The library whose calls this folder makes.
pkg_check_modules(MLX5 REQUIRED IMPORTED_TARGET libmlx5)
set(vendor_libraries PkgConfig::MLX5)
