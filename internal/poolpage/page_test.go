package poolpage

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
)

// hostile is a text that would do harm if it were taken for markup or script.
const hostile = "</script><script>alert(1)</script><!-- '\"&\u2028 {{script}} \xff"

// sample returns a snapshot with some of everything, with a text as all names.
func sample(name string) *poolrt.Snapshot {
	at := time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC)
	return &poolrt.Snapshot{
		Time: at, Program: name,
		Pools: []poolrt.PoolSnapshot{{
			PoolInfo: poolrt.PoolInfo{
				Name: name, Allocator: name, Requested: name, Reason: name, Suballocator: name, Fit: name, Concurrency: name, Ordering: name, Unit: "bytes",
				Budget: poolrt.BudgetInfo{Name: name, Limit: poolrt.NoLimit}, Stats: poolrt.Stats{Limit: poolrt.NoLimit},
			},
			Walked: true,
			Chunks: []poolrt.ChunkSnapshot{{Addr: 1<<63 + 1, Size: 30, Origin: 1<<53 + 1, Pieces: poolrt.Pieces{
				{Size: 10, Asked: 9, State: poolrt.PieceLive, Since: 5, Site: 1}, {Off: 10, Size: 20, State: poolrt.PieceFree},
			}}},
			Pending: []poolrt.PendingFrees{{Stream: 1, Blocks: 2, Bytes: 3}},
			Events:  []poolrt.FlightEvent{{Number: 1, Time: at, Addr: 1<<63 + 1}},
		}},
		Sites: []poolrt.Site{{Frames: []poolrt.Frame{{Function: name, File: name, Line: 1}}}},
	}
}

func page(t *testing.T, snapshots ...*poolrt.Snapshot) string {
	t.Helper()
	var b bytes.Buffer
	fatal.If(t, Write(&b, snapshots...))
	return b.String()
}

// dataOf returns the data of a page.
func dataOf(t *testing.T, page string) (text string, d map[string]any) {
	t.Helper()
	_, text, found := strings.Cut(page, `<script type="application/json" id="data">`)
	text, _, closed := strings.Cut(text, "</script>")
	if err := json.Unmarshal([]byte(text), &d); err != nil || !found || !closed {
		t.Fatalf("%v in %q", err, text)
	}
	return text, d
}

func TestPageCarriesItsSnapshots(t *testing.T) {
	got := page(t, sample("app"))
	_, d := dataOf(t, got)
	pool := d["snapshots"].([]any)[0].(map[string]any)["pools"].([]any)[0].(map[string]any)
	chunk := pool["chunks"].([]any)[0].(map[string]any)
	if pool["name"] != "app" || chunk["addr"] != "0x8000000000000001" || chunk["origin"] != "0x20000000000001" || chunk["pieces"].(map[string]any)["states"] != "lf" {
		t.Errorf("%v", pool)
	}
	if at := pool["events"].([]any)[0].(map[string]any)["addr"]; at != "0x8000000000000001" {
		t.Errorf("an event at %v", at)
	}
	if strings.Contains(got, "{{") || strings.Contains(got, "connect-src") {
		t.Error("a marker is left, or a static page may ask")
	}
	if _, d := dataOf(t, page(t, sample("a"), sample("b"))); len(d["snapshots"].([]any)) != 2 {
		t.Errorf("of two snapshots: %v", d)
	}
	for _, wrong := range [][]*poolrt.Snapshot{nil, {nil}, {sample("a"), nil}, {sample("a"), sample("b"), sample("c")}} {
		if err := Write(new(bytes.Buffer), wrong...); err == nil {
			t.Errorf("%d snapshots are not refused", len(wrong))
		}
	}
}

// For two snapshots, each notes the blocks that the other does not have, except in pools whose blocks are not known one by one.
func TestUnmatchedBlocksAreNoted(t *testing.T) {
	before, after := sample("app"), sample("app")
	after.Pools[0].Chunks[0].Pieces = poolrt.Pieces{{Size: 10, State: poolrt.PieceFree}, {Off: 10, Size: 20, Asked: 20, State: poolrt.PieceLive}}
	unmatched := func() string {
		text, _ := dataOf(t, page(t, before, after))
		return strings.Join(regexp.MustCompile(`"unmatched":\[[^]]*\]`).FindAllString(text, -1), " ")
	}
	if got, want := unmatched(), `"unmatched":[0] "unmatched":[1]`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	before.Pools[0].AllAtOnce = true
	if got := unmatched(); got != "" {
		t.Errorf("of bump: %s", got)
	}
}

// Numbers of a pool of numbered resources are written as numbers.
func TestNumbersAreWrittenAsNumbers(t *testing.T) {
	s := sample("app")
	s.Pools[0].Unit = "numbers"
	if text, _ := dataOf(t, page(t, s)); !strings.Contains(text, `"addr":"9223372036854775809"`) {
		t.Error(text)
	}
}

// With any text in a snapshot, the document has the same elements as with harmless names, and the text is in the data.
func TestHostileNamesStayText(t *testing.T) {
	elements := func(page string) int { return strings.Count(page, "<") }
	bad := page(t, sample(hostile))
	if text, d := dataOf(t, bad); strings.ContainsAny(text, "<>&\u2028") || d["snapshots"].([]any)[0].(map[string]any)["program"] != strings.ToValidUTF8(hostile, "\ufffd") {
		t.Error(text)
	}
	if got, want := elements(bad), elements(page(t, sample("app"))); got != want {
		t.Errorf("%d elements, want %d", got, want)
	}
}

// The policy names all styles and scripts of the document, and the document has no others.
func TestPolicyNamesWhatThePageCarries(t *testing.T) {
	var b bytes.Buffer
	fatal.If(t, WriteLive(&b))
	for kind, page := range map[string]string{"static": page(t, sample("app")), "live": b.String()} {
		_, policy, _ := strings.Cut(page, `http-equiv="Content-Security-Policy" content="`)
		policy, _, _ = strings.Cut(policy, `"`)
		for _, mark := range []struct{ from, to string }{{"<style>", "</style>"}, {`<script type="module">`, "</script>"}} {
			_, text, _ := strings.Cut(page, mark.from)
			text, _, _ = strings.Cut(text, mark.to)
			if len(text) < 1000 || !strings.Contains(policy, hash(text)) {
				t.Errorf("%s: %s of %d bytes is not in the policy %q", kind, mark.from, len(text), policy)
			}
		}
		if !strings.HasPrefix(policy, "default-src 'none'; ") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "connect-src 'self'") != (kind == "live") {
			t.Errorf("%s: %s", kind, policy)
		}
		for _, not := range []string{"https://", "src=", " style=", "@import", "innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"} {
			if strings.Contains(page, not) {
				t.Errorf("%s: the page has %s", kind, not)
			}
		}
		if n := strings.Count(page, "http://"); n != strings.Count(page, "http://www.w3.org/2000/svg") {
			t.Errorf("%s: an address elsewhere", kind)
		}
	}
}
