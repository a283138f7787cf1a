package gpu

import (
	"cmp"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/poolgen/poolgen/cuda"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// sourceOfOwners has two kernels over a table of blocks, each an address and a number of words of 8 bytes. own fills every block with words that
// encode its row in the table and their index in the block, and inspect counts those that differ. This detects blocks with a word in common.
const sourceOfOwners = `
.visible .entry own(.param .u64 table, .param .u32 rows)
{
	.reg .pred %p;
	.reg .b32 %r, %n, %g, %t;
	.reg .b64 %e, %a, %w, %i, %s, %v, %x, %y;
	ld.param.u64 %e, [table];
	ld.param.u32 %n, [rows];
	cvta.to.global.u64 %e, %e;
	mov.u32 %r, %ctaid.x;
	mov.u32 %g, %nctaid.x;
row:
	setp.ge.u32 %p, %r, %n;
	@%p ret;
	mul.wide.u32 %x, %r, 16;
	add.u64 %x, %e, %x;
	ld.global.u64 %a, [%x];
	ld.global.u64 %w, [%x+8];
	cvta.to.global.u64 %a, %a;
	cvt.u64.u32 %v, %r;
	shl.b64 %v, %v, 40;
	mov.u32 %t, %tid.x;
	cvt.u64.u32 %i, %t;
	mov.u32 %t, %ntid.x;
	cvt.u64.u32 %s, %t;
word:
	setp.ge.u64 %p, %i, %w;
	@%p bra done;
	shl.b64 %x, %i, 3;
	add.u64 %x, %a, %x;
	or.b64 %y, %v, %i;
	st.global.u64 [%x], %y;
	add.u64 %i, %i, %s;
	bra word;
done:
	add.u32 %r, %r, %g;
	bra row;
}

.visible .entry inspect(.param .u64 table, .param .u32 rows, .param .u64 wrong)
{
	.reg .pred %p;
	.reg .b32 %r, %n, %g, %t;
	.reg .b64 %e, %a, %w, %i, %s, %v, %x, %y, %z, %c;
	ld.param.u64 %e, [table];
	ld.param.u32 %n, [rows];
	ld.param.u64 %c, [wrong];
	cvta.to.global.u64 %e, %e;
	cvta.to.global.u64 %c, %c;
	mov.u32 %r, %ctaid.x;
	mov.u32 %g, %nctaid.x;
row:
	setp.ge.u32 %p, %r, %n;
	@%p ret;
	mul.wide.u32 %x, %r, 16;
	add.u64 %x, %e, %x;
	ld.global.u64 %a, [%x];
	ld.global.u64 %w, [%x+8];
	cvta.to.global.u64 %a, %a;
	cvt.u64.u32 %v, %r;
	shl.b64 %v, %v, 40;
	mov.u32 %t, %tid.x;
	cvt.u64.u32 %i, %t;
	mov.u32 %t, %ntid.x;
	cvt.u64.u32 %s, %t;
word:
	setp.ge.u64 %p, %i, %w;
	@%p bra done;
	shl.b64 %x, %i, 3;
	add.u64 %x, %a, %x;
	or.b64 %y, %v, %i;
	ld.global.u64 %z, [%x];
	setp.eq.u64 %p, %z, %y;
	@%p bra same;
	red.global.add.u32 [%c], 1;
same:
	add.u64 %i, %i, %s;
	bra word;
done:
	add.u32 %r, %r, %g;
	bra row;
}
`

// block is a block of a pool of device memory.
type block interface {
	Addr() cuda.DevicePtr
	Bytes() int64
}

// apart checks that blocks do not overlap: by their addresses, and by a kernel that writes to every word.
func apart[B block](l *lab, blocks []B) {
	l.Helper()
	if len(blocks) == 0 {
		return
	}
	blocks = slices.SortedFunc(slices.Values(blocks), func(a, b B) int { return cmp.Compare(a.Addr(), b.Addr()) })
	table := make([]byte, 0, 16*len(blocks))
	for i, b := range blocks {
		if i > 0 && blocks[i-1].Addr().Add(blocks[i-1].Bytes()) > b.Addr() {
			l.Errorf("%d bytes at %v overlap %d bytes at %v", blocks[i-1].Bytes(), blocks[i-1].Addr(), b.Bytes(), b.Addr())
		}
		table = binary.LittleEndian.AppendUint64(table, uint64(b.Addr()))
		table = binary.LittleEndian.AppendUint64(table, uint64(b.Bytes()/8))
	}
	at, err := l.device.Alloc(int64(len(table)))
	l.ok("table", err)
	l.ok("copy", cuda.CopyToDevice(at, table))
	shape := cuda.Config{Grid: [3]uint32{uint32(min(len(blocks), 4096))}, Block: [3]uint32{256}}
	l.ok("own", l.own.Launch(shape, at, uint32(len(blocks))))
	l.ok("inspect", l.inspect.Launch(shape, at, uint32(len(blocks)), l.wrong))
	l.ok("synchronize", l.device.Synchronize())
	l.ok("free", l.device.Free(at))
}

// pool has the methods of a pool that these tests use.
type pool[B block] interface {
	Alloc(bytes int) (B, error)
	Free(B) error
	whole
}

// whole is what a pool does as a whole.
type whole interface {
	Stats() poolrt.Stats
	Trim(int64) (int64, error)
	Close() error
}

// Overlapping blocks are found, by addresses and by the kernel.
func TestApart(t *testing.T) {
	l := newLab(t, 0)
	at, err := l.device.Alloc(4096)
	l.ok("alloc", err)
	defer func() { l.ok("free", l.device.Free(at)) }()
	apart(l, []piece{{at, 1024}, {at + 3072, 1024}, {at + 1024, 2048}})
	if n := l.errors(); n != 0 {
		t.Fatalf("%d words are wrong", n)
	}
	quiet := *l
	quiet.TB = &muted{TB: t}
	apart(&quiet, []piece{{at, 1024}, {at + 1016, 2048}})
	if quiet.TB.(*muted).errors != 1 {
		t.Errorf("%d errors", quiet.TB.(*muted).errors)
	}
	if n := l.errors(); n != 1 {
		t.Errorf("%d words are wrong", n)
	}
	l.ok("memset", cuda.Memset(l.wrong, 0, 4))
}

// piece is a block that is not from a pool.
type piece struct {
	at    cuda.DevicePtr
	bytes int64
}

func (p piece) Addr() cuda.DevicePtr { return p.at }
func (p piece) Bytes() int64         { return p.bytes }

// muted counts errors.
type muted struct {
	testing.TB
	errors int
}

func (m *muted) Errorf(string, ...any) { m.errors++ }
