package pickle

import (
	"bytes"
	"fmt"
	"iter"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Write writes testdata/written.pickle byte by byte, a file that Python reads.
func TestWriteIsWhatPythonRead(t *testing.T) {
	shared := &List{[]any{"shared"}}
	many := iter.Seq[any](slices.Values(numbers(2 * batch)))
	v := NewDict("nil", nil, "yes", true, "no", false, "0", 0, "255", uint64(255), "256", 256, "65536", int64(65536), "-1", -1, "long", int64(math.MinInt64), "huge", uint64(math.MaxUint64),
		"float", -0.25, "text", "grüße", "long text", strings.Repeat("x", 300), "pair", Tuple{1, "text"}, "twice", &List{[]any{shared, shared}}, "many", many,
		"few", iter.Seq[any](slices.Values([]any{"text"})), "none", &List{})
	for i := range 300 {
		v.pairs = append(v.pairs, fmt.Sprint("key ", i), shared)
	}
	var b bytes.Buffer
	if err := Write(&b, v); err != nil {
		t.Fatal(err)
	}
	if want := fixture(t, "written.pickle"); !bytes.Equal(b.Bytes(), want) {
		t.Errorf("got %d bytes, want %d", b.Len(), len(want))
	}
	got, err := Read(&b, plenty)
	d, ok := got.(*Dict)
	if err != nil || !ok {
		t.Fatalf("%T, %v", got, err)
	}
	for key, want := range map[string]any{
		"nil": nil, "yes": true, "no": false, "0": int64(0), "255": int64(255), "256": int64(256), "65536": int64(65536), "-1": int64(-1), "long": int64(math.MinInt64), "huge": uint64(math.MaxUint64),
		"float": -0.25, "text": "grüße", "long text": strings.Repeat("x", 300), "pair": Tuple{int64(1), "text"}, "twice": &List{[]any{shared, shared}}, "many": &List{numbers(2 * batch)},
		"few": &List{[]any{"text"}}, "none": &List{}, "key 299": shared,
	} {
		if !reflect.DeepEqual(d.Get(key), want) {
			t.Errorf("%s is %#v, want %#v", key, d.Get(key), want)
		}
	}
	if d.Get("key 0") != d.Get("key 299") {
		t.Error("a list that came up twice is not shared")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestWriteFails(t *testing.T) {
	if err := Write(failing{}, 1); err != os.ErrClosed {
		t.Errorf("got %v", err)
	}
	for _, v := range []any{[]int{1}, Tuple{struct{}{}}, &List{[]any{int8(1)}}, NewDict("a", func() {}), iter.Seq[any](slices.Values([]any{'a'}))} {
		if err := Write(new(bytes.Buffer), v); err == nil || !strings.HasPrefix(err.Error(), "a pickle of ") {
			t.Errorf("%T: %v", v, err)
		}
	}
}
