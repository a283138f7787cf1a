package foreign

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const rmmLog = "Thread,Time,Action,Pointer,Size,Stream\n" +
	"4711,23:59:59.999998,allocate,0x7f0000000000,1000,0x0\n" +
	"4711,23:59:59.999999,allocate,0x7f0000000400,500,0x55d0\n" +
	"4712,00:00:00.000001,free,0x7f0000000000,1000,0\n" +
	"4712,00:00:00.000005,allocate,0x7f0000000000,700,0x2\n" +
	"\n" +
	"4711,00:00:00.000005,allocate failure,(nil),99999999,0x0\n" +
	"4711,00:00:00.000006,allocate,0x0,0,0x0\n" +
	"4711,00:00:00.000007,free,0x7f0000000800,300,0x2\n" +
	"4711,00:00:01.000000,allocate,0x7f0000000000,800,0x55d0\r\n" +
	"4711,00:00:01.000000,free,0x7f0000000700,200,0x0\n"

// The log of version 0.14 has no threads, a colon in the time, and pointers without 0x.
const oldLog = "\ufeffTime,Action,Pointer,Size,Stream\n10:00:00:000001,allocate,7f00,16,0\n10:00:00:000003,free,7f00,16,0\n"

// A block that reuses an address is another block; time continues past midnight; each thread has its own default stream.
func TestRMMLogBecomesEvents(t *testing.T) {
	logs, err := read(t, "r.csv", rmmLog, 100)
	if err != nil || len(logs) != 1 {
		t.Fatalf("%v, %v", logs, err)
	}
	sound(t, logs[0])
	want := `a 5 200 0 0 :11
a 3 300 9423 0 :9
a 0 1000 0 0 :2
a 1 500 21968 1 :3
f 0 0 0 3 :4
a 2 700 9425 7 :5
f 3 0 9423 9 :9
f 2 0 21968 1000002 :10
a 4 800 21968 1000002 :10
f 5 0 0 1000002 :11
`
	if got := shown(logs[0]); logs[0].Name != "r.csv" || got != want {
		t.Errorf("%s: got\n%swant\n%s", logs[0].Name, got, want)
	}
	notes := []string{
		"r.csv: live before its first event, and allocated at the beginning: 2 blocks, 500 bytes",
		"r.csv: live at its end: 2 blocks, 1300 bytes",
		"r.csv: freed unseen, when their address was handed out again: 1 block",
		"r.csv: left out, as they were not served: 1 request",
		"r.csv: left out, as they were of 0 bytes: 1 request",
	}
	if !slices.Equal(logs[0].Notes, notes) {
		t.Errorf("got  %q\nwant %q", logs[0].Notes, notes)
	}
}

func TestRMMLogOfVersion14(t *testing.T) {
	logs, err := read(t, "old.csv", oldLog, 100)
	if err != nil || len(logs) != 1 || shown(logs[0]) != "a 0 16 0 0 :2\nf 0 0 0 2 :3\n" || logs[0].Notes != nil {
		t.Errorf("%v, %v", logs, err)
	}
}

// Threads write their lines a little out of order, also at midnight.
func TestRMMLateAtMidnight(t *testing.T) {
	log := "Thread,Time,Action,Pointer,Size,Stream\n"
	for i, at := range []string{"23:59:59.999990", "00:00:00.000001", "23:59:59.999995", "00:00:00.000003"} {
		log += fmt.Sprintf("%d,%s,allocate,0x%d000,1,0x0\n", i, at, i+1)
	}
	logs, err := read(t, "r.csv", log, 100)
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	for _, e := range logs[0].Events {
		got = append(got, e.Micros)
	}
	if want := []uint64{0, 11, 5, 13}; !slices.Equal(got, want) {
		t.Errorf("%d, want %d", got, want)
	}
}

func TestRMMRefuses(t *testing.T) {
	head := "Thread,Time,Action,Pointer,Size,Stream\n"
	for _, test := range []struct{ text, err string }{
		{head, "r.csv:1: the log has no events"},
		{head + "1,00:00:00.000001,allocate failure,0x0,1,0x0\n", "r.csv:2: the log has no events"},
		{head + "1,00:00:00.000001,allocate,0x1,1\n", "r.csv:2: 5 fields, and no Stream"},
		{head + "1,00:00:00.000001,allocate,pointer,1,0x0\n", `r.csv:2: column Pointer: "pointer" is not a hexadecimal number`},
		{head + "1,00:00:00.000001,allocate,0x1,-1,0x0\n", `r.csv:2: column Size: "-1" is not a number from 0 to 9223372036854775807`},
		{head + "1,00:00:00.000001,allocate,0x1,1,stream\n", `r.csv:2: column Stream: "stream" is not a hexadecimal number`},
		{head + "x,00:00:00.000001,allocate,0x1,1,0x2\n", `r.csv:2: column Thread: "x" is not a number`},
		{head + "1,00:00:01,allocate,0x1,1,0x0\n", `r.csv:2: column Time: "00:00:01" is not of the form 12:34:56.123456`},
		{head + "1,00:00:xx.000001,allocate,0x1,1,0x0\n", `r.csv:2: column Time: "00:00:xx.000001" is not of the form 12:34:56.123456`},
		{head + "1,24:00:00.000001,allocate,0x1,1,0x0\n", `r.csv:2: column Time: "24:00:00.000001" is not of the form 12:34:56.123456`},
		{head + "1,00:00:00.1000000,allocate,0x1,1,0x0\n", `r.csv:2: column Time: "00:00:00.1000000" is not of the form 12:34:56.123456`},
		{head + "1,00::00:00.000001,allocate,0x1,1,0x0\n", `r.csv:2: column Time: "00::00:00.000001" is not of the form 12:34:56.123456`},
		{head + "1,00:00:00.000001,reallocate,0x1,1,0x0\n", `r.csv:2: column Action: "reallocate" is none of "allocate", "allocate failure" and "free"`},
		{head + head, `r.csv:2: column Pointer: "Pointer" is not a hexadecimal number`},
		{head + strings.Repeat("x", 2*maxLine), "r.csv:2: line longer than 4096 bytes"},
	} {
		if logs, err := read(t, "r.csv", test.text, 100); err == nil || err.Error() != test.err {
			t.Errorf("%.60q: %v, %v, want %s", test.text, logs, err, test.err)
		}
	}
}
