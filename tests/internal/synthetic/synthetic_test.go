package synthetic

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// Each trace is legal: IDs are live once, frees have the right size, and time does not go back. The seed decides the trace.
func TestTracesAreLegalAndSeeded(t *testing.T) {
	for _, kind := range Kinds {
		var texts [3]bytes.Buffer
		for i, seed := range []uint64{1, 1, 2} {
			if err := Write(&texts[i], kind, seed); err != nil {
				t.Fatal(err)
			}
		}
		if texts[0].String() != texts[1].String() || texts[0].String() == texts[2].String() {
			t.Errorf("%s: the seed does not decide", kind)
		}
		live, events, last := map[int]int64{}, 0, -1
		for line := range strings.Lines(strings.TrimPrefix(texts[0].String(), header)) {
			var op rune
			var id, stream, time int
			var size int64
			if _, err := fmt.Sscanf(line, "%c,%d,%d,%d,%d", &op, &id, &size, &stream, &time); err != nil {
				t.Fatalf("%s: %q: %v", kind, line, err)
			}
			if n, ok := live[id]; size < 1 || time < last || ok != (op == 'f') || ok && n != size {
				t.Fatalf("%s: %q after %d bytes", kind, line, n)
			}
			if live[id] = size; op == 'f' {
				delete(live, id)
			}
			events, last = events+1, time
		}
		if events < 5000 || len(live) > 0 {
			t.Errorf("%s: %d events, %d blocks left", kind, events, len(live))
		}
	}
	if err := Write(new(bytes.Buffer), "other", 1); err == nil {
		t.Error("a kind that there is not")
	}
}
