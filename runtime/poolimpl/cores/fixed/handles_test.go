package fixed

import (
	"testing"

	"github.com/poolgen/poolgen/runtime/poolimpl"
)

// life returns the life that a block is in. The first is 1.
func (m *model) life(addr uint64) (number uint64, life uint32) {
	number = (addr - m.chunks[0].base) / m.p.BlockSize
	return number, max(m.lives[number], 1)
}

// endLife notes that the life of a block ends.
func (m *model) endLife(addr uint64) {
	if m.p.Handles {
		number, life := m.life(addr)
		if m.lives[number] = life + 1; life == Lives {
			m.retired = append(m.retired, addr)
		}
	}
}

// ageing are the operations of a pool with handles.
var ageing = []func(*model, uint64){(*model).age, (*model).judge, (*model).judge, (*model).freeLast, (*model).freeLast}

// age brings a live block into its last life, or the one before.
func (m *model) age(x uint64) {
	if len(m.order) > 0 && x%16 == 0 {
		number, _ := m.life(m.order[x>>4%uint64(len(m.order))])
		m.lives[number] = Lives - uint32(x>>9&1)
		m.c.Gens[number] = m.lives[number]
	}
}

// judge judges handles of a block, live or not, of all kinds of lives.
func (m *model) judge(x uint64) {
	number := x % 20
	live := false
	for addr := range m.live {
		if n, _ := m.life(addr); n == number {
			live = true
		}
	}
	life := uint64(max(m.lives[number], 1))
	for _, of := range []uint64{0, 1, life - 1, life, life + 1, 1<<32 - 1} {
		want := poolimpl.Double
		switch {
		case of == 0 || of > life || number >= uint64(m.c.Aged.Load()):
			want = poolimpl.Foreign
		case live && of == life:
			want = poolimpl.Freed
		}
		h := of<<32 | number
		if got := m.c.Judge(h); got != want {
			m.t.Fatalf("Judge(%#x) = %d, want %d", h, got, want)
		}
		if want != poolimpl.Freed {
			if _, v := m.c.FreeLast(h); v != want {
				m.t.Fatalf("FreeLast(%#x) = %d, want %d", h, v, want)
			}
		}
	}
}

// freeLast frees a block by its handle.
func (m *model) freeLast(x uint64) {
	if len(m.order) > 0 {
		i := int(x % uint64(len(m.order)))
		number, life := m.life(m.order[i])
		m.giveBack(i, func(_, _ uint64) (uint32, poolimpl.Verdict) { return m.c.FreeLast(uint64(life)<<32 | number) })
	}
}

func FuzzHandles(f *testing.F) {
	f.Add([]byte{6, 0, 0, 0, 0, 0, 17, 0, 20, 0, 18, 0, 18, 1, 7, 0})
	f.Add(script(12)[:400])
	f.Fuzz(func(t *testing.T, ops []byte) {
		where(t, handles, func(t *testing.T, p Params) { run(t, p, ops, ageing...) })
	})
}

func TestRandomHandles(t *testing.T) {
	where(t, handles, func(t *testing.T, p Params) {
		for seed := range uint64(6) { // chunks that have retired blocks stay: few blocks are left in the end
			run(t, p, script(seed), ageing...)
		}
	})
}

// TestLastLife: the last life of a block ends whichever call frees it. The block is not handed out again, and its chunk stays.
func TestLastLife(t *testing.T) {
	where(t, handles, func(t *testing.T, p Params) {
		const base = 1 << 30
		for name, free := range map[string]func(c *Core) poolimpl.Verdict{
			"Free":     func(c *Core) poolimpl.Verdict { _, v := c.Free(base, p.ItemBytes); return v },
			"free":     func(c *Core) poolimpl.Verdict { _, v := c.free(base, p.ItemBytes); return v },
			"FreeLast": func(c *Core) poolimpl.Verdict { _, v := c.FreeLast(Lives << 32); return v },
		} {
			c := newCore(p)
			c.Add(0, base, 2*p.BlockSize)
			take(t, c)
			c.Gens[0] = Lives
			if v := free(c); v != poolimpl.Freed { // not Emptied: a chunk with a retired block has none that could be removed
				t.Errorf("%s = %d", name, v)
			}
			if v := c.Judge(Lives << 32); v != poolimpl.Double {
				t.Errorf("%s: the verdict on the handle is %d", name, v)
			}
			if v := c.Judge((Lives + 1) << 32); v != poolimpl.Double {
				t.Errorf("%s: the verdict on a life that no block has is %d", name, v)
			}
			if _, v := c.Free(base, p.ItemBytes); v != poolimpl.Double {
				t.Errorf("%s: second free: %d", name, v)
			}
			if u := c.Usage(); u.Live != 0 || u.Retired != 1 || c.Used(0) != p.BlockSize {
				t.Errorf("%s: %+v, %d bytes are used", name, u, c.Used(0))
			}
			if _, off := take(t, c); off != p.BlockSize {
				t.Errorf("%s: block at %d", name, off)
			}
			if _, _, ok := c.Alloc(p.ItemBytes, 1); ok || c.Usage().LargestFree != 0 {
				t.Errorf("%s: the retired block is free", name)
			}
			c.check(t, 0)
		}
	})
}

// TestLivesStay: blocks of a chunk that is added later go on with the lives that those of the chunk before had.
func TestLivesStay(t *testing.T) {
	where(t, handles, func(t *testing.T, p Params) {
		c := newCore(p)
		for life := uint64(1); life < 4; life++ {
			c.Add(0, life<<30, 2*p.BlockSize)
			_, off := take(t, c)
			if c.Judge(life<<32) != poolimpl.Freed || life > 1 && c.Judge((life-1)<<32) != poolimpl.Double {
				t.Errorf("life %d: the block is in life %d", life, c.Gens[0])
			}
			c.free(life<<30+off, p.ItemBytes)
			c.Remove(0)
			if v := c.Judge(life << 32); v != poolimpl.Double {
				t.Errorf("life %d: without the chunk, the verdict is %d", life, v)
			}
		}
	})
}
