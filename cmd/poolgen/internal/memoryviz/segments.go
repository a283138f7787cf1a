package memoryviz

import (
	"iter"
	"slices"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/pickle"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// states maps the states of a piece to those of PyTorch. Pieces that are cached, or that nobody owns, are inactive there.
var states = map[poolrt.PieceState]string{
	poolrt.PieceLive:    "active_allocated",
	poolrt.PiecePending: "active_pending_free",
	poolrt.PieceFree:    inactive,
	poolrt.PieceCached:  inactive,
	poolrt.PieceWaste:   inactive,
}

const inactive = "inactive"

// segments are the places, with their blocks.
func (x *export) segments() iter.Seq[any] {
	return func(yield func(any) bool) {
		for _, p := range x.places {
			var live, active, asked uint64
			for _, piece := range p.pieces {
				if piece.State == poolrt.PieceLive {
					live += piece.Size
				}
				if states[piece.State] != inactive {
					active += piece.Size
					asked += piece.Asked
				}
			}
			segment := pickle.NewDict(
				"device", p.device, "address", p.addr, "total_size", p.size,
				"allocated_size", live, "active_size", active, "requested_size", asked,
				"stream", 0, "segment_type", "large", "segment_pool_id", poolID(p.pool), "is_expandable", p.part,
				"frames", x.stack(p.pool, 0), "blocks", x.blocks(p))
			if !yield(segment) {
				return
			}
		}
	}
}

// poolID is PyTorch's ID of a pool. 0, 0 is PyTorch's default pool, for programs that request no other.
func poolID(pool int) pickle.Tuple { return pickle.Tuple{0, pool + 1} }

// blocks are the pieces of a place.
func (x *export) blocks(p place) iter.Seq[any] {
	return func(yield func(any) bool) {
		base := p.addr - p.pieces[0].Off
		for _, piece := range p.pieces {
			block := pickle.NewDict("address", base+piece.Off, "size", piece.Size, "requested_size", piece.Asked,
				"state", states[piece.State], "frames", x.stack(p.pool, piece.Site))
			if !yield(block) {
				return
			}
		}
	}
}

// stackKey identifies a stack.
type stackKey struct {
	pool int
	site uint32
}

// stack returns the calls of a site, or none for 0, with the pool after the last one, where the viewer shows it.
func (x *export) stack(pool int, site uint32) *pickle.List {
	key := stackKey{pool, site}
	list := x.stacks[key]
	if list == nil {
		list = &pickle.List{Items: slices.Concat(x.calls(site), []any{frame(x.Pools[pool].Name, "pool", 0)})}
		x.stacks[key] = list
	}
	return list
}

// calls returns the calls of a site, which pools share.
func (x *export) calls(site uint32) []any {
	list, made := x.sites[site]
	if !made && site > 0 && uint64(site) <= uint64(len(x.Sites)) {
		for _, f := range x.Sites[site-1].Frames {
			list = append(list, frame(f.Function, f.File, f.Line))
		}
		x.sites[site] = list
	}
	return list
}

func frame(name, file string, line int) *pickle.Dict {
	return pickle.NewDict("name", name, "filename", file, "line", line)
}

// settings is what the viewer shows as settings: the program, and a description of its pools.
func (x *export) settings() *pickle.Dict {
	pools := &pickle.List{}
	for i, p := range x.Pools {
		if x.devices[i] < 0 {
			continue
		}
		var limit any
		if p.Stats.Limit != poolrt.NoLimit {
			limit = p.Stats.Limit
		}
		pools.Items = append(pools.Items, pickle.NewDict("segment_pool_id", poolID(i), "device", x.devices[i], "name", p.Name,
			"allocator", p.Allocator, "suballocator", p.Suballocator, "concurrency", p.Concurrency, "ordering", p.Ordering,
			"chunk_size", p.ChunkSize, "limit", limit, "reserved", p.Stats.Reserved, "fragmentation", p.Fragmentation))
	}
	return pickle.NewDict("program", x.Program, "time_us", x.Time.UnixMicro(), "pools", pools)
}
