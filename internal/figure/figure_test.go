package figure

import (
	"math"
	"testing"
)

func TestFigures(t *testing.T) {
	for got, want := range map[string]string{
		Bytes(0, 3):                       "0 B",
		Bytes(1023, 3):                    "1023 B",
		Bytes(1024, 3):                    "1 KiB",
		Bytes(1040, 4):                    "1.016 KiB",
		Bytes(1023.9*1024, 3):             "1024 KiB",
		Bytes(-3<<20, 3):                  "-3 MiB",
		Bytes(math.MaxUint64, 3):          "16 EiB",
		Amount(math.MaxInt64, "bytes"):    "none",
		Amount(2048, "bytes"):             "2 KiB",
		Amount(2048, "numbers"):           "2048",
		Change(2048, "bytes"):             "+2 KiB",
		Change(-7, "numbers"):             "-7",
		Count(1, "block"):                 "1 block",
		Count(0, "block"):                 "0 blocks",
		Plain("a\x1b[31mb\nc\xff\u202eü"): "a?[31mb?c\ufffd?ü",
		Cut("scene.Vertex", 12):           "scene.Vertex",
		Cut("scene.Vertex", 8):            "scene...",
		Cut("üüüüüü", 5):                  "üü...",
		Cut("scene", 2):                   "..",
		Cut("scene", -1):                  "",
		CutFront("scene", 1):              ".",
		CutFront("scene.Vertex", 8):       "...ertex",
		CutFront("scene.Vertex", 12):      "scene.Vertex",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
