package difference

import (
	"fmt"
	"strings"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// live returns a block that was handed out some time after noon; 0: unknown.
func live(off, size uint64, since time.Duration) poolrt.Piece {
	p := poolrt.Piece{Off: off, Size: size, State: poolrt.PieceLive}
	if since != 0 {
		p.Since = noon.Add(since).UnixNano()
	}
	return p
}

// side returns a pool with a chunk of those pieces, some time after noon.
func side(after time.Duration, pieces ...poolrt.Piece) Side {
	return Side{&poolrt.PoolSnapshot{Walked: true, Chunks: []poolrt.ChunkSnapshot{{Addr: 0x1000, Pieces: pieces}}}, noon.Add(after)}
}

// Blocks are the same if they have the same place and size, and are not known to have been allocated since.
func TestSameBlocks(t *testing.T) {
	const before, after = 0, time.Minute
	type pieces = []poolrt.Piece
	for name, test := range map[string]struct {
		before, after pieces
		new, gone     int
	}{
		"nothing":                {nil, nil, 0, 0},
		"the same":               {pieces{live(0, 64, 0)}, pieces{live(0, 64, 0)}, 0, 0},
		"more":                   {pieces{live(0, 64, 0), {Off: 64, Size: 64}}, pieces{live(0, 64, 0), live(64, 64, 0)}, 1, 0},
		"less":                   {pieces{live(0, 64, 0), live(64, 64, 0)}, pieces{live(0, 64, 0), {Off: 64, Size: 64}}, 0, 1},
		"pending":                {pieces{live(0, 64, 0)}, pieces{{Size: 64, State: poolrt.PiecePending}}, 0, 1},
		"another size":           {pieces{live(0, 64, 0)}, pieces{live(0, 32, 0)}, 1, 1},
		"another time":           {pieces{live(0, 64, -time.Hour)}, pieces{live(0, 64, time.Second)}, 1, 1},
		"a nanosecond later":     {pieces{live(0, 64, -time.Hour)}, pieces{live(0, 64, -time.Hour+1)}, 1, 1},
		"the same time":          {pieces{live(0, 64, -time.Hour)}, pieces{live(0, 64, -time.Hour)}, 0, 0},
		"sampled since":          {pieces{live(0, 64, 0)}, pieces{live(0, 64, time.Second)}, 1, 1},
		"sampled right after":    {pieces{live(0, 64, 0)}, pieces{live(0, 64, 1)}, 1, 1},
		"sampled, and then not":  {pieces{live(0, 64, -time.Second)}, pieces{live(0, 64, 0)}, 0, 0},
		"known from before only": {pieces{live(0, 64, 0)}, pieces{live(0, 64, -time.Second)}, 0, 0},
	} {
		was, is, fresh, gone := side(before, test.before...), side(after, test.after...), 0, 0
		is.Without(was, func(chunk, piece int) { fresh++ })
		was.Without(is, func(chunk, piece int) { gone++ })
		if fresh != test.new || gone != test.gone {
			t.Errorf("%s: %d new, %d gone", name, fresh, gone)
		}
	}
}

// A block is found by its address, whatever chunk it is in now.
func TestBlocksOfAnotherChunk(t *testing.T) {
	was, is := side(0, live(0, 64, 0), live(64, 64, 0)), side(time.Minute, live(0, 64, 0))
	is.Pool.Chunks = append([]poolrt.ChunkSnapshot{{Addr: 8}}, is.Pool.Chunks...)
	is.Pool.Chunks[1].Addr += 64
	got := ""
	was.Without(is, func(chunk, piece int) { got += fmt.Sprint(chunk, ":", piece) })
	if got != "0:0" {
		t.Errorf("gone: %s", got)
	}
	is.Without(was, func(chunk, piece int) { t.Errorf("piece %d of chunk %d is new", piece, chunk) })
}

// A side that lacks the pool has no blocks.
func TestPoolThatIsNotThere(t *testing.T) {
	count := 0
	side(0, live(0, 64, 0), live(64, 64, 0)).Without(Side{}, func(int, int) { count++ })
	Side{}.Without(side(0, live(0, 64, 0)), func(int, int) { t.Error("a block of no pool") })
	if count != 2 {
		t.Errorf("%d blocks are new", count)
	}
}

// Pools are identified by their names, and by their position among pools of one name. Pools that went come last.
func TestPairs(t *testing.T) {
	snapshot := func(names string) *poolrt.Snapshot {
		s := &poolrt.Snapshot{}
		for i, name := range strings.Fields(names) {
			s.Pools = append(s.Pools, poolrt.PoolSnapshot{PoolInfo: poolrt.PoolInfo{Name: name, ItemSize: int64(i)}, Walked: name != "unseen"})
			if name == "bump" {
				s.Pools[i].AllAtOnce = true
			}
		}
		return s
	}
	got := ""
	for _, p := range Pairs(snapshot("twice went twice unseen twice bump"), snapshot("came twice unseen twice bump")) {
		for _, s := range []Side{p.Before, p.After} {
			if s.Pool == nil {
				got += "- "
			} else {
				got += fmt.Sprint(s.Pool.Name, s.Pool.ItemSize, " ")
			}
		}
		got += fmt.Sprintln(p.Known())
	}
	want := "- came0 true\ntwice0 twice1 true\nunseen3 unseen2 false\ntwice2 twice3 true\nbump5 bump4 false\nwent1 - true\ntwice4 - true\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
