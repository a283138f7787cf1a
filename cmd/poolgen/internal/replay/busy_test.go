package replay

import (
	"strings"
	"testing"
)

// What a stream has freed is in use for others until its work completes, and not for itself: its blocks that follow each other count once.
func TestInUse(t *testing.T) {
	trace, err := readOne("t.csv", strings.NewReader(TraceHeader+`
a,0,100,1,0
f,0,,1,0
a,1,90,1,0
f,1,,1,0
a,2,1,2,0
a,3,1,2,0
a,4,1,2,0
f,4,,1,0
a,5,1,3,0
`))
	if err != nil {
		t.Fatal(err)
	}
	for events, want := range []int64{100, 100, 100, 100, 101, 102, 103, 103, 103} {
		if got := trace.inUse(events); got != want {
			t.Errorf("work takes %d events: %d bytes in use, want %d", events, got, want)
		}
	}
}
