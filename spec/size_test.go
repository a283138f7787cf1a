package spec

import (
	"testing"
)

func TestParseSize(t *testing.T) {
	for _, test := range []struct {
		text string
		want int64
		bad  string // "why; help" of a refusal
	}{
		{"0", 0, ""},
		{"4096", 4096, ""},
		{"64KiB", 64 << 10, ""},
		{"1.5MiB", 3 << 19, ""},
		{"0.5KiB", 512, ""},
		{"1.0GiB", 1 << 30, ""},
		{"2TiB", 2 << 40, ""},
		{"3MB", 3e6, ""},
		{"1TB", 1e12, ""},
		{"7B", 7, ""},
		{"4611686018427387904", maxSize, ""},
		{"4611686018427387905", 0, "is larger than 4194304TiB; write a smaller size"},
		{"99999999999999999999", 0, "is larger than 4194304TiB; write a smaller size"},
		{"5000000TiB", 0, "is larger than 4194304TiB; write a smaller size"},
		{"", 0, "is not a size; " + sizeGrammar},
		{"kib", 0, "is not a size; " + sizeGrammar},
		{"64kib", 0, "is not a size; write 64KiB"},
		{"64KIB", 0, "is not a size; write 64KiB"},
		{"2 MB", 0, "is not a size; write 2MB"},
		{"2mb", 0, "is not a size; write 2MB (powers of 1000) or 2MiB (powers of 1024)"},
		{"64K", 0, "is not a size; write 64KiB (65536 bytes) or 64KB (powers of 1000)"},
		{"64Ki", 0, "is not a size; write 64KiB"},
		{"512 bytes", 0, "is not a size; write 512B"},
		{"1e6", 0, "is not a size; write 1000000"},
		{"0x10", 0, "is not a size; write 16"},
		{"0x1000", 0, "is not a size; write 4096"},
		{"1_000", 0, "is not a size; write 1000"},
		{"1,000", 0, "is not a size; write 1000"},
		{"010", 0, "has a leading zero; write 10"},
		{"00", 0, "has a leading zero; write 0"},
		{"01.5KiB", 0, "has a leading zero; write 1.5KiB"},
		{"1.5", 0, "is a fraction of a byte; write a whole number, or a unit after it (1.5MiB)"},
		{"1.5B", 0, "is a fraction of a byte; write a whole number, or a unit after it (1.5MiB)"},
		{"1.0001KiB", 0, "is not a whole number of bytes; the nearest whole size is 1KiB"},
		{"1.KiB", 0, "is not a size; " + sizeGrammar},
		{".5KiB", 0, "is not a size; " + sizeGrammar},
		{"1.2.3KiB", 0, "is not a size; " + sizeGrammar},
		{"-1", 0, "is negative; write 1"},
		{"-5MiB", 0, "is negative; write 5MiB"},
		{"64*1024*1024", 0, "is not a size; write 64MiB"},
		{"64 << 20", 0, "is not a size; write 64MiB"},
		{"1 << 99", 0, "is not a size; " + sizeGrammar},
		{"1<<", 0, "is not a size; " + sizeGrammar},
		{"1,5GiB", 0, "is not a size; write 1.5GiB"},
		{"1,500GiB", 0, "is not a size; write 1500GiB"},
		{"1,048,576KiB", 0, "is not a size; write 1048576KiB"},
		{"0,500GiB", 0, "is not a size; write 0.500GiB"},
		{"2pib", 0, "is not a size; write 2048TiB"},
		{"3PB", 0, "is not a size; write 3000TB"},
		{"3 megabytes", 0, "is not a size; write 3MB"},
		{"--5", 0, "is not a size; " + sizeGrammar},
		{"+1", 0, "is not a size; write 1"},
		{"64KiBx", 0, "is not a size; " + sizeGrammar},
		{"１KiB", 0, "is not a size; " + sizeGrammar},
		{"NaN", 0, "is not a size; " + sizeGrammar},
		{"Inf", 0, "is not a size; " + sizeGrammar},
	} {
		got, bad := parseSize(test.text)
		why := ""
		if bad != nil {
			why = bad.why + "; " + bad.help
		}
		if got != test.want || why != test.bad {
			t.Errorf("%q: got %d %q, want %d %q", test.text, got, why, test.want, test.bad)
		}
	}
}

func TestFormatSize(t *testing.T) {
	for n, want := range map[int64]string{
		0: "0B", 1: "1B", 100: "100B", 1000: "1KB", 1024: "1KiB", 4096: "4KiB", 1536 << 20: "1536MiB",
		1 << 30: "1GiB", 3e6: "3MB", 1e12: "1TB", 1 << 40: "1TiB", NoLimit: "none",
	} {
		if got := FormatSize(n); got != want {
			t.Errorf("%d: got %s, want %s", n, got, want)
		}
		if n == NoLimit {
			continue
		}
		if back, bad := parseSize(want); bad != nil || back != n {
			t.Errorf("%s reads as %d", want, back)
		}
	}
}

func TestNearest(t *testing.T) {
	for word, want := range map[string]string{
		"chunk_sise": "chunk_size", "chunksize": "chunk_size", "Chunk-Size": "chunk_size", "nmae": "name", "limt": "limit",
		"suballoc": "suballocator", "chunk": "chunk_size", "align": "alignment", "timeout": "wait_timeout", "size": "", "x": "", "pa": "", "zzzzzz": "", "allocater": "allocator",
	} {
		if got := nearest(word, keyNames(PoolSection)); got != want {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
}
