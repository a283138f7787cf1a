// Package cuda will speak to the CUDA driver for pools whose memory lives on a device.
//
// It is empty today: this build of poolgen generates pools over host memory and over numbered
// resources. Pool files may already name CUDA allocators; they are validated and explained, and
// generating them says that this build does not have them yet.
package cuda
