package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/replay"
)

// What is in use has a column only if streams were busy.
func TestTableOfBusyStreams(t *testing.T) {
	for _, test := range []struct {
		inUse  int64
		header string
		row    string
	}{
		{0, "peak live peak reserved ratio", "1 KiB 3 KiB 3.000"},
		{2 << 10, "peak live in use peak reserved ratio", "1 KiB 2 KiB 3 KiB 3.000"},
	} {
		var out bytes.Buffer
		(&Process{Stdout: &out}).table([]replay.Row{{Pool: "Bytes", Trace: "t.csv", PeakLive: 1 << 10, InUse: test.inUse, PeakReserved: 3 << 10, Ratio: 3}})
		text := strings.Join(strings.Fields(out.String()), " ")
		if !strings.Contains(text, test.header) || !strings.Contains(text, test.row) {
			t.Errorf("%d in use:\n%s", test.inUse, out.String())
		}
	}
}
