//go:build linux && (amd64 || arm64) && (cgo || poolgen_purego)

package native

import (
	"bytes"
	"testing"
	"unsafe"
)

// A call may make the stack of its goroutine grow, which moves the stack: what the driver writes arrives all the same. Each goroutine begins with a small
// stack, and calls at another depth of it.
func TestStacksThatMove(t *testing.T) {
	d := inFake(t)
	if d == nil {
		return
	}
	ctx, _ := d.DevicePrimaryCtxRetain(1)
	for name, right := range map[string]func() bool{
		"name":       func() bool { return d.GetErrorName(2) == "CUDA_ERROR_OUT_OF_MEMORY" },
		"device":     func() bool { name, _ := d.DeviceGetName(1); return name == "Fake" },
		"identity":   func() bool { id, _ := d.DeviceGetUUID(1); return id[0] == 0x41 && id[15] == 0x41 },
		"two values": func() bool { free, total, _ := d.MemGetInfo(ctx); return free == 1<<30 && total == 1<<34 },
		"copy": func() bool {
			var b [16]byte
			d.MemcpyDtoH(ctx, unsafe.Pointer(&b), 2<<40, 16)
			return b == [16]byte(bytes.Repeat([]byte{0x5A}, 16))
		},
		"arguments": func() bool {
			return d.LaunchKernel(ctx, 1, [3]uint32{1, 2, 3}, [3]uint32{4, 5, 6}, 7, 0, [][]byte{{100}, {20, 0, 0, 0, 0, 0, 0, 0}, {3, 0, 0, 0}}) == 123
		},
	} {
		for depth := range 200 {
			result := make(chan bool)
			go func() { result <- deep(depth, right) }()
			if !<-result {
				t.Errorf("%s: wrong at depth %d", name, depth)
				break
			}
		}
	}
}

// deep calls f with some more of the stack in use.
//
//go:noinline
func deep(n int, f func() bool) bool {
	if n == 0 {
		return f()
	}
	return deep(n-1, f)
}
