package debugging

import (
	"strings"
	"testing"
	"time"
	"unsafe"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/tests/fatal"
	"github.com/poolgen/poolgen/tests/pools/internal/forms"
)

// A snapshot has the live blocks of the program at their addresses, with and without the tag. With the tag, each has the time and the caller of its allocation,
// and blocks in the quarantine are free.
func TestSnapshotHasTheBlocksOfTheProgram(t *testing.T) {
	for _, p := range forms.All() {
		t.Run(p.Name, func(t *testing.T) {
			begin := time.Now()
			live := map[uint64]bool{}
			for i := range 60 {
				b, err := p.Alloc()
				fatal.If(t, err)
				if i%3 == 1 {
					fatal.If(t, p.Free(b))
					continue
				}
				live[uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))] = true
				defer func() {
					if err := p.Free(b); err != nil {
						t.Error(err)
					}
				}()
			}
			s := p.Snapshot()
			if s.Debug != poolrt.Debug || len(s.Pools) != 1 || s.Pools[0].Stats.Live != int64(len(live)) {
				t.Fatalf("%+v", s)
			}
			found := 0
			for _, c := range s.Pools[0].Chunks {
				at := uint64(0)
				for _, piece := range c.Pieces {
					if piece.Off != at {
						t.Fatalf("%+v at %d", piece, at)
					}
					at += piece.Size
					if piece.State != poolrt.PieceLive {
						continue
					}
					if found++; !live[c.Addr+piece.Off] || piece.Asked != size {
						t.Errorf("%#x: %+v is live", c.Addr+piece.Off, piece)
					}
					if poolrt.Debug {
						known(t, s, piece, begin)
					} else if piece.Since != 0 || piece.Site != 0 {
						t.Errorf("%+v", piece)
					}
				}
				if at != c.Size {
					t.Errorf("%d of %d", at, c.Size)
				}
			}
			if found != len(live) {
				t.Errorf("%d blocks of %d", found, len(live))
			}
		})
	}
}

// known checks that a piece has the time and the caller of its allocation: after start, in this test.
func known(t *testing.T, s *poolrt.Snapshot, piece poolrt.Piece, begin time.Time) {
	t.Helper()
	if at := time.Unix(0, piece.Since); at.Before(begin.Add(-time.Millisecond)) || at.After(s.Time.Add(time.Second)) {
		t.Errorf("allocated at %v", at)
	}
	if piece.Site == 0 || int(piece.Site) > len(s.Sites) {
		t.Fatalf("site %d of %d", piece.Site, len(s.Sites))
	}
	for _, f := range s.Sites[piece.Site-1].Frames {
		if strings.HasSuffix(f.File, "snapshot_test.go") && f.Line > 0 {
			return
		}
	}
	t.Errorf("%+v", s.Sites[piece.Site-1])
}
