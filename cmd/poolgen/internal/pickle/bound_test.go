package pickle

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// endless repeats a text after a first one.
type endless struct {
	first string
	again string
	at    int
}

func (e *endless) Read(b []byte) (n int, err error) {
	for n < len(b) {
		if e.at < len(e.first) {
			b[n] = e.first[e.at]
		} else {
			b[n] = e.again[(e.at-len(e.first))%len(e.again)]
		}
		e.at++
		n++
	}
	return n, nil
}

// Reading an endless pickle ends at the bound on memory, and takes no more than a small multiple of that bound.
func TestReadIsBounded(t *testing.T) {
	const most = 16 << 20
	for name, again := range map[string]string{
		"lists": "]", "dicts": "}", "tuples": ")", "marks": "(", "numbers": "M\xff\xff", "nothing": "N", "copies": "2", "remembered": "\x94", "texts": "\x8c\xff" + strings.Repeat("x", 255),
		"nested": "]\x85", "items": "Na", "pairs": "NNs", "large texts": "X\x00\x00\x02\x00" + strings.Repeat("x", 1<<17),
	} {
		first := "\x80\x04]"
		if name == "pairs" {
			first = "\x80\x04}"
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(&endless{first: first, again: again}, most)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.HasSuffix(err.Error(), errMemory.Error()) {
			t.Errorf("%s: %v", name, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 8*most { // counts all allocations of slices while they grew
			t.Errorf("%s: took %d bytes", name, taken)
		}
	}
}

// A dict of many keys takes no more memory than it was charged for, including its index.
func TestIndexIsBounded(t *testing.T) {
	text := []byte("\x80\x04}")
	for i := range 1 << 16 {
		text = append(text, 0x8c, 8)
		text = append(text, fmt.Sprintf("%08d", i)...)
		text = append(text, "Ns"...)
	}
	text = append(text, '.')
	least := int64(1) // the least bound with which the pickle can be read
	for step := int64(1 << 28); step >= 1<<10; step /= 2 {
		if _, err := Read(bytes.NewReader(text), least+step); err != nil {
			least += step
		}
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	v, err := Read(bytes.NewReader(text), 1<<30)
	d, ok := v.(*Dict)
	if err != nil || !ok || d.Get("none") != nil {
		t.Fatalf("%T, %v", v, err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if taken := int64(after.HeapAlloc) - int64(before.HeapAlloc); taken > least*5/4 {
		t.Errorf("%d bytes, and charged were %d", taken, least)
	}
	runtime.KeepAlive(v)
}
