package lower

import (
	"testing"

	"github.com/poolgen/poolgen/spec"
)

func TestSize(t *testing.T) {
	for _, test := range []struct {
		size        Size
		want, param string
	}{
		{known(24), "24", "24"},
		{known(8 << 20), "8 << 20", "8388608"},
		{known(spec.NoLimit), "poolrt.NoLimit", "9223372036854775807"},
		{Size{}, "0", "0"},
		{Size{Of: "unsafe.Sizeof(x)"}, "int64(unsafe.Sizeof(x))", "uint64(unsafe.Sizeof(x))"},
		{Size{Of: "n", Up: 1}, "int64(n)", "uint64(n)"},
		{Size{Of: "n", Up: 64}, "(int64(n) + 63) &^ 63", "(uint64(n) + 63) &^ 63"},
		{Size{Of: "n", Up: 4096, Least: 8 << 20}, "max(8 << 20, (int64(n) + 4095) &^ 4095)", "max(8 << 20, (uint64(n) + 4095) &^ 4095)"},
		{Size{Of: "n", Most: 1 << 31, Times: 3}, "3 * min(int64(n), 1<<31)", "3 * min(uint64(n), 1<<31)"},
	} {
		if got := test.size.expr("int64"); got != test.want {
			t.Errorf("%+v: got %s, want %s", test.size, got, test.want)
		}
		if got := test.size.param(); got != test.param {
			t.Errorf("%+v: as a parameter, got %s, want %s", test.size, got, test.param)
		}
	}
}

func TestLiteral(t *testing.T) {
	var l Literal
	l.set(true, "Name", quoted("a\"b"))
	l.set(false, "Gone", "1")
	l.flag("On", true)
	l.flag("Off", false)
	if got, want := l.lines("T"), "T{\nName: \"a\\\"b\",\nOn: true,\n}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := l.inline("&T"), `&T{Name: "a\"b", On: true}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := (Literal{}).lines("T"); got != "" {
		t.Errorf("no fields: got %s", got)
	}
}
