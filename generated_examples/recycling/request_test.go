package recycling

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// values returns a request of n values with a number of digits.
func values(n, digits int) []byte {
	return bytes.Repeat(append(bytes.Repeat([]byte("f0"), digits/2), ' '), n)
}

// What stays after an ordinary request, one of 200 KB, one with a value of 2 MB, which no honest client sends, and an ordinary one.
func Example_request() {
	var before arena
	var after scratch
	for _, request := range [][]byte{values(10, 64), values(2000, 100), values(1, 2_000_000), values(10, 64)} {
		_, err := before.largest(request)
		fmt.Printf("%d bytes: before %d KiB, %v; ", len(request), len(before.memory)>>10, err)
		_, err = after.largest(request)
		fmt.Printf("after %d KiB, too large: %t\n", after.pool.Stats().Reserved>>10, errors.Is(err, poolrt.ErrTooLarge))
	}
	fmt.Println(after.pool.Stats().PeakReserved>>10, "KiB at most,", after.pool.Close())
	// Output:
	// 650 bytes: before 64 KiB, <nil>; after 64 KiB, too large: false
	// 202000 bytes: before 256 KiB, <nil>; after 64 KiB, too large: false
	// 2000001 bytes: before 1953 KiB, <nil>; after 64 KiB, too large: true
	// 650 bytes: before 1953 KiB, <nil>; after 64 KiB, too large: false
	// 256 KiB at most, <nil>
}

// Both programs have the same answers, and refuse the same requests.
func TestRequests(t *testing.T) {
	var before arena
	var after scratch
	for _, request := range []string{"", "00", "0a 0B 09", "ff00 ff", "a", "xy", "01 0", "7f 7f00 7e"} {
		a, errBefore := before.largest([]byte(request))
		b, errAfter := after.largest([]byte(request))
		if !bytes.Equal(a, b) || (errBefore == nil) != (errAfter == nil) {
			t.Errorf("%q: %x, %v, then %x, %v", request, a, errBefore, b, errAfter)
		}
	}
	if err := after.pool.Close(); err != nil {
		t.Error(err)
	}
}

// A mark that is left over from an earlier request takes memory away from the request under way. The pool refuses the mark.
func TestLateMark(t *testing.T) {
	var before arena
	late := before.mark()
	before.reset()
	value := before.alloc(1)
	value[0] = 1
	before.release(late)
	before.alloc(1)[0] = 2
	if value[0] != 2 {
		t.Error("the arena has a check; its comment says otherwise")
	}

	var after ScratchPool
	if _, err := after.Alloc(1); err != nil {
		t.Fatal(err)
	}
	mark := after.Mark()
	if err := after.Reset(); err != nil {
		t.Fatal(err)
	}
	if _, err := after.Alloc(1); err != nil {
		t.Fatal(err)
	}
	if err := after.Release(mark); !errors.Is(err, poolrt.ErrForeign) {
		t.Errorf("Release of a late mark: %v", err)
	}
	if err := after.Close(); err != nil {
		t.Error(err)
	}
}
