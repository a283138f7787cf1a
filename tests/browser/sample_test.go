package browser

import (
	"fmt"
	"math/rand/v2"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// at is when samples were taken.
var at = time.Date(2026, 5, 4, 15, 4, 5, 0, time.UTC)

// sample returns a snapshot of invented pools, with some of everything.
func sample(seed uint64, chunks int) *poolrt.Snapshot {
	random := rand.New(rand.NewPCG(seed, 7))
	s := &poolrt.Snapshot{Time: at, Program: "example.com/render", Debug: true}
	for i, name := range []string{"loadScene", "(*Streamer).next", "newFrame", "decode", "upload"} {
		s.Sites = append(s.Sites, poolrt.Site{Frames: []poolrt.Frame{
			{Function: "example.com/render/scene.(*TexturePool).Alloc", File: "/src/render/scene/texture_shell.go", Line: 61, Generated: true},
			{Function: "example.com/render/scene." + name, File: "/src/render/scene/load.go", Line: 40 + 17*i},
			{Function: "example.com/render.main", File: "/src/render/main.go", Line: 31}, {Function: "runtime.main", File: "/go/src/runtime/proc.go", Line: 283},
		}})
	}
	texture, vertex := pool("scene.Texture", "heap", "device_virtual"), pool("scene.Vertex", "classes", "host")
	texture.Fit, texture.Device, texture.Ordering = "good", 0, "stream"
	for i := range chunks {
		texture.Chunks = append(texture.Chunks, filled(random, uint64(0x7f3a_4000_0000+i<<21), 2<<20, 90))
		vertex.Chunks = append(vertex.Chunks, filled(random, uint64(0xc000_0000+i<<20), 1<<20, 60))
	}
	texture.Pending = []poolrt.PendingFrees{{Stream: 7, Blocks: 12, Bytes: 831488}, {Stream: 9, Blocks: 3, Bytes: 4096}}
	for i := range 140 {
		kind := poolrt.FlightKind(random.IntN(6))
		e := poolrt.FlightEvent{Number: uint64(9000 + i), Time: at.Add(time.Duration(i-140) * 7 * time.Millisecond), Kind: kind, Bytes: 64 << random.IntN(14)}
		if kind == poolrt.FlightAlloc || kind == poolrt.FlightFree {
			e.Addr, e.Stream, e.Site = texture.Chunks[0].Addr+random.Uint64N(2<<20), uint64(random.IntN(3)*4), uint32(random.IntN(6))
		}
		texture.Events = append(texture.Events, e)
	}
	s.Pools = []poolrt.PoolSnapshot{measured(texture), measured(vertex), {PoolInfo: pool("audio.Voice", "fixed", "host").PoolInfo}}
	s.Pools[2].Concurrency = "none"
	voice := &s.Pools[2]
	voice.Guarantee, voice.Priority, voice.Stats.Given = 4<<20, 10, 6<<20
	voice.Stats.Asleep, voice.Stats.Backing, voice.Stats.Reserved, voice.Stats.Private, voice.Stats.Graphs = 1, 3<<20, 2<<20, 2<<20, 1
	return s
}

func pool(name, suballocator, allocator string) poolrt.PoolSnapshot {
	return poolrt.PoolSnapshot{Walked: true, PoolInfo: poolrt.PoolInfo{
		Name: name, Suballocator: suballocator, Allocator: allocator, Requested: allocator, Concurrency: "mutex", Ordering: "sync", Device: -1, Unit: "bytes", ItemSize: 4,
		ChunkSize: 2 << 20, Budget: poolrt.BudgetInfo{Name: "Frame", Limit: 64 << 20, Reserved: 30 << 20, Kept: 4 << 20}, Priority: 50, Stats: poolrt.Stats{Limit: 48 << 20},
	}}
}

// filled returns a chunk of about the given number of pieces.
func filled(random *rand.Rand, addr, size uint64, pieces int) poolrt.ChunkSnapshot {
	c := poolrt.ChunkSnapshot{Addr: addr, Size: size}
	odds := []poolrt.PieceState{poolrt.PieceLive, poolrt.PieceLive, poolrt.PieceLive, poolrt.PieceLive, poolrt.PieceFree, poolrt.PieceFree, poolrt.PiecePending, poolrt.PieceCached, poolrt.PieceHole, poolrt.PieceWaste}
	for off := uint64(0); off < size; {
		p := poolrt.Piece{Off: off, Size: min(size-off, (1+random.Uint64N(2*size/uint64(pieces)/64))*64), State: odds[random.IntN(len(odds))]}
		if p.State == poolrt.PieceLive || p.State == poolrt.PiecePending {
			p.Asked = p.Size - random.Uint64N(64)
		}
		if p.State == poolrt.PieceLive {
			age := time.Duration(float64(time.Millisecond) * float64(uint64(1)<<random.IntN(22)) * (1 + random.Float64()))
			p.Since, p.Site = at.Add(-age).UnixNano(), uint32(random.IntN(6))
		}
		c.Pieces = append(c.Pieces, p)
		off += p.Size
	}
	return c
}

// measured computes the totals of a pool's pieces.
func measured(p poolrt.PoolSnapshot) poolrt.PoolSnapshot {
	s, largest := &p.Stats, uint64(0)
	for _, c := range p.Chunks {
		s.Chunks++
		s.Reserved += int64(c.Size)
		for _, piece := range c.Pieces {
			switch piece.State {
			case poolrt.PieceLive:
				s.Live++
				s.LiveBytes += int64(piece.Asked)
				s.RoundingBytes += int64(piece.Size - piece.Asked)
			case poolrt.PieceFree:
				p.Free += int64(piece.Size)
				largest = max(largest, piece.Size)
			case poolrt.PiecePending:
				s.Pending++
			case poolrt.PieceCached:
				s.Cached += int64(piece.Size)
			}
		}
	}
	s.LargestFree, s.PeakBytes, s.PeakReserved, s.Failures = int64(largest), s.LiveBytes, s.Reserved, s.Live/300
	if p.Free > 0 {
		p.Fragmentation = 1 - float64(largest)/float64(p.Free)
	}
	return p
}

// later returns the sample at a later time: some blocks, a chunk and a pool are gone, and others are new.
func later() *poolrt.Snapshot {
	s := sample(1, 6)
	random := rand.New(rand.NewPCG(3, 3))
	s.Time = at.Add(90 * time.Second)
	for i := range s.Pools[:2] {
		p := &s.Pools[i]
		for _, c := range p.Chunks {
			for k := range c.Pieces {
				piece := &c.Pieces[k]
				switch {
				case piece.State == poolrt.PieceLive && random.IntN(5) == 0:
					*piece = poolrt.Piece{Off: piece.Off, Size: piece.Size, State: poolrt.PieceFree}
				case piece.State == poolrt.PieceFree && random.IntN(3) == 0:
					*piece = poolrt.Piece{Off: piece.Off, Size: piece.Size, Asked: piece.Size, State: poolrt.PieceLive, Since: s.Time.UnixNano() - 5e9, Site: 2}
				}
			}
		}
		p.Chunks = append(p.Chunks[1:], filled(random, p.Chunks[len(p.Chunks)-1].Addr+1<<24, 2<<20, 90))
		p.Stats, p.Free = poolrt.Stats{Limit: 48 << 20}, 0
		*p = measured(*p)
	}
	s.Pools[2] = measured(pool(fmt.Sprintf("net.Packet%d", 1), "ring", "host"))
	return s
}
