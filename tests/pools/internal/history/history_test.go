package history

import (
	"testing"
	"time"
)

// history makes logs from calls, one log for each goroutine.
func history(ops ...op) []*Log {
	logs := make([]*Log, len(ops))
	for i, o := range ops {
		logs[i] = &Log{ops: []op{o}}
	}
	return logs
}

func TestImpossibleHistoriesAreFound(t *testing.T) {
	const us = time.Microsecond
	for _, c := range []struct {
		name   string
		blocks int
		ops    []op
		right  bool
	}{
		{"one after the other", 1, []op{{0, 1 * us, 64, 64, alloc}, {2 * us, 3 * us, 64, 64, free}, {4 * us, 5 * us, 64, 64, alloc}}, true},
		{"handed out while it is being freed", 1, []op{{0, 1 * us, 64, 64, alloc}, {2 * us, 6 * us, 64, 64, free}, {3 * us, 5 * us, 64, 64, alloc}}, true},
		{"handed out twice", 9, []op{{0, 1 * us, 64, 64, alloc}, {0, 2 * us, 64, 64, alloc}}, false},
		{"handed out before it is freed", 9, []op{{0, 1 * us, 64, 64, alloc}, {4 * us, 5 * us, 64, 64, free}, {2 * us, 3 * us, 64, 64, alloc}}, false},
		{"overlapping", 9, []op{{0, 1 * us, 64, 64, alloc}, {2 * us, 3 * us, 96, 64, alloc}}, false},
		{"overlapping from below", 9, []op{{0, 1 * us, 96, 64, alloc}, {2 * us, 3 * us, 64, 64, alloc}}, false},
		{"side by side", 9, []op{{0, 1 * us, 64, 64, alloc}, {0, 1 * us, 128, 64, alloc}, {2 * us, 3 * us, 0, 64, alloc}}, true},
		{"refused when full", 1, []op{{0, 1 * us, 64, 64, alloc}, {2 * us, 3 * us, 0, 0, refused}}, true},
		{"refused while the last is being taken", 1, []op{{2 * us, 9 * us, 64, 64, alloc}, {1 * us, 3 * us, 0, 0, refused}}, true},
		{"refused while one is being freed", 1, []op{{0, 1 * us, 64, 64, alloc}, {2 * us, 9 * us, 64, 64, free}, {3 * us, 4 * us, 0, 0, refused}}, true},
		{"refused though one is free", 2, []op{{0, 1 * us, 64, 64, alloc}, {2 * us, 3 * us, 0, 0, refused}}, false},
		{"refused after a free", 1, []op{{0, 1 * us, 64, 64, alloc}, {2 * us, 3 * us, 64, 64, free}, {4 * us, 5 * us, 0, 0, refused}}, false},
		{"freed, and never handed out", 1, []op{{2 * us, 3 * us, 64, 64, free}}, false},
	} {
		if err := Check(history(c.ops...), c.blocks); (err == nil) != c.right {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
