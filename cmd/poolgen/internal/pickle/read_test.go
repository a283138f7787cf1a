package pickle

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// plenty is more memory than any file of the tests takes.
const plenty = 1 << 20

// fixture reads a file that Python has written.
func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// numbers are from 0 to n-1.
func numbers(n int) (list []any) {
	for i := range n {
		list = append(list, int64(i))
	}
	return list
}

// What Python writes in each protocol is read back as the same values.
func TestReadWhatPythonWrote(t *testing.T) {
	shared := &List{numbers(3)[1:]}
	want := map[string]any{
		"none": nil, "yes": true, "no": false, "small": int64(7), "byte": int64(255), "two": int64(65535), "four": int64(-2), "int": int64(math.MaxInt32),
		"long": int64(1 << 40), "minus": int64(-1 << 40), "huge": uint64(1<<63 + 5), "float": 1.5, "text": "grüße", "long text": strings.Repeat("x", 300), "bytes": Bytes("\x00\xff"),
		"empty": &List{}, "unit": Tuple(nil), "one": Tuple{int64(1)}, "pair": Tuple{int64(1), "b"}, "three": Tuple(numbers(4)[1:]), "many": Tuple(numbers(5)),
		"list": &List{[]any{shared, shared, "text"}}, "numbers": &List{numbers(2500)}, "dict": &Dict{},
		"deep": NewDict("a", NewDict("b", &List{[]any{NewDict("c", int64(1))}})),
		"set":  &List{[]any{int64(4)}}, "frozen": &List{[]any{int64(5)}}, "array": Bytes("ab"),
	}
	since := map[string]int{"bytes": 3, "set": 4, "frozen": 4, "array": 5} // since protocol
	for protocol := oldest; protocol <= newest; protocol++ {
		v, err := Read(bytes.NewReader(fixture(t, fmt.Sprintf("values%d.pickle", protocol))), plenty)
		d, ok := v.(*Dict)
		if err != nil || !ok {
			t.Errorf("protocol %d: %T, %v", protocol, v, err)
			continue
		}
		for key, value := range want {
			if got := d.Get(key); since[key] <= protocol && !reflect.DeepEqual(got, value) {
				t.Errorf("protocol %d: %s is %#v, want %#v", protocol, key, got, value)
			}
		}
		if l, ok := d.Get("list").(*List); !ok || len(l.Items) != 3 || l.Items[0] != l.Items[1] {
			t.Errorf("protocol %d: the list that comes up twice is not shared", protocol)
		}
		if d.Get("nothing") != nil {
			t.Errorf("protocol %d has nothing", protocol)
		}
	}
}

// The newest value of a key counts, in small dicts and large ones.
func TestNewestValueOfAKeyCounts(t *testing.T) {
	for _, n := range []int{0, 2 * fewPairs} {
		d := NewDict("a", 1, Tuple{"a"}, 2)
		for i := range n {
			d.pairs = append(d.pairs, fmt.Sprint(i), i)
		}
		d.pairs = append(d.pairs, "a", 3)
		if d.Get("a") != 3 || d.Get("b") != nil {
			t.Errorf("%d more keys: %v, %v", n, d.Get("a"), d.Get("b"))
		}
	}
}

// A list may be filled after it is shared, and may contain itself.
func TestSharedBeforeItIsFilled(t *testing.T) {
	v, err := Read(strings.NewReader("\x80\x02]q\x00(]h\x00ah\x00e."), plenty)
	l, ok := v.(*List)
	if err != nil || !ok || len(l.Items) != 2 || l.Items[1] != any(l) {
		t.Fatalf("%v, %v", v, err)
	}
	if inner, ok := l.Items[0].(*List); !ok || len(inner.Items) != 1 || inner.Items[0] != any(l) {
		t.Errorf("got %v", l.Items[0])
	}
}

func TestReadRefuses(t *testing.T) {
	long := "\x80\x02X" + string(binary.LittleEndian.AppendUint32(nil, plenty+1))
	for _, test := range []struct{ pickle, err string }{
		{"", "byte 0: the pickle ends here, and is not complete"},
		{"(dp0\n.", "byte 0: not a pickle of protocol 2 to 5"},
		{"\x80\x01.", "byte 0: PROTO: protocol 1; 2 to 5 can be read"},
		{"\x80\x06.", "byte 0: PROTO: protocol 6; 2 to 5 can be read"},
		{"\x80\x02", "byte 2: the pickle ends here, and is not complete"},
		{"\x80\x02.", "byte 2: the pickle ends with 0 values"},
		{"\x80\x02NN.", "byte 4: the pickle ends with 2 values"},
		{"\x80\x02X\x05\x00\x00\x00abc", "byte 10: the pickle ends here, and is not complete"},
		{"\x80\x02\xff", "byte 2: 0xff is no step of a pickle"},
		{"\x80\x02cos\nsystem\n(X\x02\x00\x00\x00lstR.", "byte 2: GLOBAL stands for an object of a program; only data is read"},
		{"\x80\x04\x8c\x02os\x8c\x06system\x93.", "byte 14: STACK_GLOBAL stands for an object of a program; only data is read"},
		{"\x80\x02]R.", "byte 3: REDUCE stands for an object of a program; only data is read"},
		{"\x80\x02Na.", "byte 3: APPEND: there is nothing to take it from"},
		{"\x80\x02NNa.", "byte 4: APPEND: it is no list"},
		{"\x80\x02e.", "byte 2: APPENDS: there is no mark"},
		{"\x80\x02](Na.", "byte 5: APPEND: there is nothing to take it from"},
		{"\x80\x02N(0.", "byte 4: POP: there is nothing to take it from"},
		{"\x80\x02N(q\x00.", "byte 4: BINPUT: there is nothing to take it from"},
		{"\x80\x02](Ns.", "byte 5: SETITEM: there is nothing to take it from"},
		{"\x80\x02]NNs.", "byte 5: SETITEM: it is no dict"},
		{"\x80\x02}(Nu.", "byte 5: SETITEMS: a key without a value"},
		{"\x80\x02(Nd.", "byte 4: DICT: a key without a value"},
		{"\x80\x02Nq\x01.", "byte 3: BINPUT: number 1 comes before number 0"},
		{"\x80\x02h\x03.", "byte 2: BINGET: nothing has number 3"},
		{"\x80\x02\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01.", "byte 2: LONG1: a number of 9 bytes, and 8 are the most"},
		{long, "byte 2: BINUNICODE: too large to be read"},
		{"\x80\x04\x8d\xff\xff\xff\xff\xff\xff\xff\xff", "byte 2: BINUNICODE8: too large to be read"},
	} {
		if v, err := Read(strings.NewReader(test.pickle), plenty); err == nil || err.Error() != test.err {
			t.Errorf("%q: %v, %v, want %s", test.pickle, v, err, test.err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for protocol := oldest; protocol <= newest; protocol++ {
		f.Add(fixture(f, fmt.Sprintf("values%d.pickle", protocol)))
	}
	f.Add([]byte("\x80\x02]q\x00(]h\x00ah\x00e."))
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Read(bytes.NewReader(data), plenty)
		if err != nil && (v != nil || !strings.HasPrefix(err.Error(), "byte ")) {
			t.Fatalf("%v, %v", v, err)
		}
		if d, ok := v.(*Dict); ok {
			d.Get("text")
		}
	})
}
