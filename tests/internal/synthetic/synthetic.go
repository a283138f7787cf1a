// Package synthetic makes allocation traces from a seed: loads that no pool was tuned for, the same on every machine. They are in the
// format that poolgen replay reads.
package synthetic

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
)

// Kinds names the kinds of traces.
var Kinds = []string{"bursts", "growing", "mixed", "streams"}

// header is the first line of a trace.
const header = "op,id,bytes,stream,time_us\n"

// Write writes a trace of a kind. It returns an error for an unknown kind.
func Write(w io.Writer, kind string, seed uint64) error {
	play, ok := map[string]func(*tape){"bursts": bursts, "growing": growing, "mixed": mixed, "streams": streams}[kind]
	if !ok {
		return fmt.Errorf("no kind %q of trace; there are %q", kind, Kinds)
	}
	t := &tape{w: bufio.NewWriter(w), r: rand.New(rand.NewPCG(seed, uint64(len(kind))))}
	t.w.WriteString(header)
	play(t)
	for len(t.live) > 0 {
		t.free(len(t.live) - 1)
	}
	return t.w.Flush()
}

// tape is the state of writing a trace.
type tape struct {
	w    *bufio.Writer
	r    *rand.Rand
	live []block
	next int
	time int
}

type block struct {
	id, stream int
	bytes      int64
}

func (t *tape) alloc(bytes int64, stream int) {
	t.time += 1 + t.r.IntN(20)
	fmt.Fprintf(t.w, "a,%d,%d,%d,%d\n", t.next, bytes, stream, t.time)
	t.live = append(t.live, block{t.next, stream, bytes})
	t.next++
}

// free frees one of the live blocks.
func (t *tape) free(at int) {
	t.time += 1 + t.r.IntN(20)
	b := t.live[at]
	fmt.Fprintf(t.w, "f,%d,%d,%d,%d\n", b.id, b.bytes, b.stream, t.time)
	t.live[at] = t.live[len(t.live)-1]
	t.live = t.live[:len(t.live)-1]
}

// size returns a size from 1 to about most, each octave as likely as the others.
func (t *tape) size(least, most int64) int64 {
	octaves := 0
	for n := least; n < most; n *= 2 {
		octaves++
	}
	n := least << t.r.IntN(max(octaves, 1))
	return n + t.r.Int64N(n)
}

// bursts: each phase allocates many blocks of its own sizes beside long-lived ones, and frees all but a few of them in any order.
func bursts(t *tape) {
	for range 40 {
		t.alloc(t.size(1<<10, 8<<20), 0)
	}
	for range 60 {
		least := t.size(1<<10, 1<<24)
		before := len(t.live)
		for range 50 + t.r.IntN(100) {
			t.alloc(t.size(least, 8*least), 0)
		}
		for len(t.live) > before+2 {
			t.free(before + t.r.IntN(len(t.live)-before))
		}
		if t.r.IntN(5) == 0 { // sometimes the blocks that stayed are freed
			t.free(t.r.IntN(len(t.live)))
		}
	}
}

// growing: each buffer is replaced repeatedly by a somewhat larger one, as in a decoder, beside short-lived blocks.
func growing(t *tape) {
	lengths := make([]int64, 24)
	at := make([]int, len(lengths))
	for i := range lengths {
		lengths[i] = t.size(256<<10, 2<<20)
	}
	for i, n := range lengths {
		at[i] = t.next
		t.alloc(n, 0)
	}
	for range 300 {
		for i := range lengths {
			if t.r.IntN(4) == 0 {
				lengths[i] += lengths[i]/16 + t.r.Int64N(64<<10)
				old := at[i]
				at[i] = t.next
				t.alloc(lengths[i], 0)
				t.freeID(old)
			}
			t.alloc(t.size(512, 4<<20), 0)
			t.free(len(t.live) - 1)
		}
	}
}

// freeID frees the block of an id.
func (t *tape) freeID(id int) {
	for i, b := range t.live {
		if b.id == id {
			t.free(i)
			return
		}
	}
}

// mixed: any sizes and lifetimes, with a total that varies slowly.
func mixed(t *tape) {
	for step := range 30_000 {
		level := 300 + 200*((step/5000)%3)
		if len(t.live) < level || len(t.live) < 2*level && t.r.IntN(2) == 0 {
			t.alloc(t.size(256, 32<<20), 0)
		} else {
			t.free(t.r.IntN(len(t.live)))
		}
	}
}

// streams: four streams, each with blocks of its own that are allocated and freed in steps, a quarter of them freed on another stream.
func streams(t *tape) {
	for step := range 8000 {
		s := step / 50 % 4
		if len(t.live) < 200 || t.r.IntN(2) == 0 && len(t.live) < 400 {
			t.alloc(t.size(512, 16<<20), s)
			continue
		}
		at := t.r.IntN(len(t.live))
		if t.r.IntN(4) == 0 {
			t.live[at].stream = t.r.IntN(4)
		}
		t.free(at)
	}
}
