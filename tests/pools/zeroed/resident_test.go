//go:build linux && !race && !pooldebug

package zeroed

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// resident returns the number of bytes of a block whose pages are in memory.
func resident(t *testing.T, b []byte) (n int) {
	t.Helper()
	page := os.Getpagesize()
	skip := -int(uintptr(unsafe.Pointer(&b[0]))) & (page - 1)
	pages := make([]byte, (len(b)-skip)/page)
	from, to := uintptr(unsafe.Pointer(&b[skip])), uintptr(unsafe.Pointer(&pages[0]))
	if _, _, errno := syscall.Syscall(syscall.SYS_MINCORE, from, uintptr(len(pages)*page), to); errno != 0 {
		t.Skip(errno)
	}
	for _, in := range pages {
		n += int(in&1) * page
	}
	return n
}

// Memory that the system has just cleared is not cleared again: it stays out of memory until it is used.
func TestFreshMemoryIsNotTouched(t *testing.T) {
	for name, p := range pools() {
		b, err := p.alloc(large)
		if err != nil {
			t.Fatal(err)
		}
		b[0] = 1
		if n := resident(t, b); n > large/4 { // a huge page, at most
			t.Errorf("%s: %d bytes of a new block of which one byte was used are in memory", name, n)
		}
		must(t, name, p.stop())
	}
}
