package foreign

import (
	"slices"
	"strings"
	"testing"
)

// deviceEvents are the events in testdata/one.pickle: see TestTorchSnapshotBecomesEvents.
const deviceEvents = `a 3 4000 0 0 :11
a 6 2000 0 0 :1
a 0 1000 0 0 :2
a 1 500 94251234567 3 :3
f 0 0 0 7 :5
a 2 700 0 10 :6
f 1 0 94251234567 28 :9
f 3 0 0 29 :11
a 4 256 0 43 :14
f 4 0 0 48 :15
a 5 300 0 48 :15
`

// A block that reuses an address is another block. A block lives until its free has completed. Blocks that were live before the first event are
// allocated at the beginning, whether they are freed later or live at the end. Failures, and requests for 0 bytes, are counted.
func TestTorchSnapshotBecomesEvents(t *testing.T) {
	logs, err := read(t, "one.pickle", fixture(t, "one.pickle"), 100)
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, %v", logs, err)
	}
	sound(t, logs[0])
	if got := shown(logs[0]); logs[0].Name != "one.pickle" || got != deviceEvents {
		t.Errorf("%s: got\n%swant\n%s", logs[0].Name, got, deviceEvents)
	}
	want := []string{
		"one.pickle: live before its first event, and allocated at the beginning: 2 blocks, 6000 bytes",
		"one.pickle: live at its end: 3 blocks, 3000 bytes",
		"one.pickle: freed unseen, when their address was handed out again: 1 block",
		"one.pickle: left out, as they were not served: 1 request",
		"one.pickle: left out, as they were of 0 bytes: 1 request",
	}
	if !slices.Equal(logs[0].Notes, want) {
		t.Errorf("got  %q\nwant %q", logs[0].Notes, want)
	}
}

// Each device that has a history is one log, whatever protocol it was written with.
func TestTorchDevices(t *testing.T) {
	for _, name := range []string{"devices2.pickle", "devices4.pickle", "devices5.pickle"} {
		logs, err := read(t, name, fixture(t, name), 100)
		if err != nil || len(logs) != 2 {
			t.Errorf("%s: %v, %v", name, logs, err)
			continue
		}
		if logs[0].Name != name+", device 0" || shown(logs[0]) != deviceEvents {
			t.Errorf("%s: %s", logs[0].Name, shown(logs[0]))
		}
		if logs[1].Name != name+", device 2" || shown(logs[1]) != "a 0 64 0 0 :1\nf 0 0 0 1 :3\n" || logs[1].Notes != nil {
			t.Errorf("%s: %s%q", logs[1].Name, shown(logs[1]), logs[1].Notes)
		}
	}
}

// If only requests for frees were recorded, they count. Addresses may be written as signed numbers, and times may be missing.
func TestTorchRequestedOnly(t *testing.T) {
	logs, err := read(t, "requested.pickle", fixture(t, "requested.pickle"), 100)
	if err != nil || len(logs) != 1 || shown(logs[0]) != "a 0 10 0 0 :1\nf 0 0 0 0 :2\n" {
		t.Errorf("%v, %v", logs, err)
	}
}

// An impossible time is ignored: the event gets the time of the event before it.
func TestTorchTimeBeforeTheClockBegan(t *testing.T) {
	event := func(action, micros string) string {
		return "}(\x8c\x06action\x8c" + string(rune(len(action))) + action + "\x8c\x04addrK\x01\x8c\x04sizeK\x0a\x8c\x07time_us" + micros + "u"
	}
	trace := event("alloc", "K\x05") + event("free_completed", "J\xff\xff\xff\xff") + event("alloc", "K\x09")
	logs, err := read(t, "clock", "\x80\x04}(\x8c\x08segments]\x8c\x0ddevice_traces](]("+trace+"eeu.", 100)
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, %v", logs, err)
	}
	sound(t, logs[0])
	if got, want := shown(logs[0]), "a 0 10 0 0 :1\nf 0 0 0 0 :2\na 1 10 0 4 :3\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestTorchRefuses(t *testing.T) {
	noHistory := ": this snapshot of PyTorch has no history of allocations: call torch.cuda.memory._record_memory_history() before what is to be traced, and torch.cuda.memory._dump_snapshot(file) after it"
	// head and tail of a snapshot whose only event lies between them.
	head, tail := "\x80\x04}(\x8c\x08segments]\x8c\x0ddevice_traces](](", "eeu."
	event := "}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x01\x8c\x04size"
	pair := event + "K\x01u" + event + "K\x01ueeu."
	for _, test := range []struct{ name, text, err string }{
		{"unrecorded.pickle", fixture(t, "unrecorded.pickle"), "unrecorded.pickle" + noHistory},
		{"list.pickle", fixture(t, "list.pickle"), "list.pickle: the pickle is no snapshot of PyTorch, as torch.cuda.memory._dump_snapshot(file) writes it: it has no segments and device_traces"},
		{"empty", "\x80\x02}.", "empty: the pickle is no snapshot of PyTorch, as torch.cuda.memory._dump_snapshot(file) writes it: it has no segments and device_traces"},
		{"evil", "\x80\x02cos\nsystem\n.", "evil: byte 2: GLOBAL stands for an object of a program; only data is read"},
		{"short", fixture(t, "one.pickle")[:1000], "short: byte 1000: the pickle ends here, and is not complete"},
		{"none", head + "N" + tail, "none: device 0, event 1: no dict"},
		{"one", head + event + "K\x01u" + tail, "one" + noHistory},
		{"size", head + event + "Nu" + tail, "size: device 0, event 1: alloc without an address and a size"},
		{"negative", head + event + "J\xff\xff\xff\xffu" + tail, "negative: device 0, event 1: alloc without an address and a size"},
		{"segment", "\x80\x04}(\x8c\x08segments](Ne\x8c\x0ddevice_traces](](" + pair, "segment: device 0, segment 1: no dict"},
		{"blocks", "\x80\x04}(\x8c\x08segments](}\x8c\x06deviceK\x00se\x8c\x0ddevice_traces](](" + pair, "blocks: device 0, segment 1: no address, or no blocks"},
		{"block", "\x80\x04}(\x8c\x08segments](}(\x8c\x06deviceK\x00\x8c\x07addressK\x01\x8c\x06blocks](Neue\x8c\x0ddevice_traces](](" + pair, "block: device 0, segment 1: a block is no dict"},
		{"devices", "\x80\x04}(\x8c\x08segments]\x8c\x0ddevice_traces](" + strings.Repeat("]", maxDevices+1) + "eu.", "devices: more than 128 devices"},
	} {
		if logs, err := read(t, test.name, test.text, 100); err == nil || err.Error() != test.err {
			t.Errorf("%v, %v, want %s", logs, err, test.err)
		}
	}
	if _, err := read(t, "many", fixture(t, "devices4.pickle"), 12); err == nil || err.Error() != "many: device 2, event 3: more than 1 events" {
		t.Errorf("got %v", err)
	}
}

// A pickle that refers to one list from many places is read only up to a bound.
func TestTorchSharedLists(t *testing.T) {
	block := "}(\x8c\x04sizeK\x01\x8c\x05state\x8c\x08inactiveu"
	segment := "}(\x8c\x06deviceK\x00\x8c\x07addressK\x01\x8c\x06blocks](" + strings.Repeat(block, 100) + "eu"
	event := "}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x01\x8c\x04sizeK\x01u"
	other := "}\x8c\x06action\x8c\x0dsegment_allocs"
	file := func(segments, traces string) string {
		return "\x80\x04}(\x8c\x08segments](" + segments + "e\x8c\x0ddevice_traces](" + traces + "eu."
	}
	again := func(n int) string { return strings.Repeat("2", n) }
	for name, text := range map[string]string{
		"blocks":   file(segment+again(10_000), "]("+event+event+"e"),
		"segments": file("}\x8c\x06deviceK\xffs"+again(100), "]("+event+event+"e"+again(100)),
		"events":   file("", "]("+other+again(100)+"e"+again(100)),
	} {
		if _, err := read(t, name, text, 1000); err == nil || !strings.HasSuffix(err.Error(), ": too many events, segments and blocks") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	live := strings.ReplaceAll(segment, "\x08inactive", "\x10active_allocated")
	if _, err := read(t, "live", file(live, "]("+event+event+"e"), 50); err == nil || err.Error() != "live: device 0, segment 1: more than 50 events" {
		t.Errorf("got %v", err)
	}
}
