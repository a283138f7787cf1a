//go:build cudasim

package guarantee

const (
	kib = 1 << 10
	mib = 1 << 20
)

// kind is a pool, with the row of the table that it is in, as a function.
type kind struct {
	name    string
	new     func() pool
	row     row
	limit   int64 // of the pool file
	most    int64 // its max_limit
	largest int   // request, in bytes
	unit    int   // bytes that a request counts as one; 0: 1
}

// row says what memory a request needs, and what is in use.
type row struct {
	need  func(bytes, align int64) int64       // what the pool has to hold in addition to what is in use
	inUse func(m *member, busy []extent) int64 // what the pool has to hold for blocks in use
	pages bool                                 // memory comes by pages
	// alignments are the powers of two below 1 << aligned
	aligned int
}

// pagesOf is the row of memory that comes by pages of so many bytes.
func pagesOf(page int64) row {
	return row{
		need: func(bytes, align int64) int64 { return up(bytes+max(align, page)-page, page) },
		inUse: func(_ *member, busy []extent) int64 {
			pages := map[int64]bool{}
			for _, x := range busy {
				for at := x.addr / page; at <= (x.addr+x.bytes-1)/page; at++ {
					pages[at] = true
				}
			}
			return int64(len(pages)) * page
		},
		pages:   true,
		aligned: 22,
	}
}

// chunksOf is the row of memory that comes as chunks, in multiples of a granularity.
func chunksOf(granularity int64) row {
	return row{
		need: func(bytes, _ int64) int64 { return up(bytes, granularity) },
		inUse: func(m *member, busy []extent) (bytes int64) {
			for _, c := range m.chunks() {
				for _, x := range busy {
					if c.addr <= x.addr && x.addr < c.addr+c.bytes {
						bytes += c.bytes
						break
					}
				}
			}
			return bytes
		},
		aligned: 13,
	}
}

// blocksOf is the row of blocks that are allocations of their own.
func blocksOf(granularity int64) row {
	return row{
		need: func(bytes, _ int64) int64 { return up(bytes, granularity) },
		inUse: func(_ *member, busy []extent) (bytes int64) {
			for _, x := range busy {
				bytes += up(x.bytes, granularity)
			}
			return bytes
		},
		aligned: 13,
	}
}

// up rounds up to a multiple.
func up(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// opened returns the zero value of a pool, which is ready to use.
func opened[P any]() pool { return any(new(P)).(pool) }

func paged[P any](name string, page int64) kind {
	return kind{name: name, new: opened[P], row: pagesOf(page), limit: 16 * mib, most: 32 * mib, largest: 6 * mib}
}

func mapped[P any](name string) kind {
	return kind{name: name, new: opened[P], row: chunksOf(2 * mib), limit: 16 * mib, most: 32 * mib, largest: 2 * mib}
}

func chunked[P any](name string) kind {
	return kind{name: name, new: opened[P], row: chunksOf(device), limit: 512 * kib, most: mib, largest: 96 * kib}
}

func onHost[P any](name string, granularity int64) kind {
	return kind{name: name, new: opened[P], row: chunksOf(granularity), limit: 512 * kib, most: mib, largest: 96 * kib}
}

func items[P any](name string, most int64) kind {
	return kind{name: name, new: opened[P], row: chunksOf(device), limit: 32 * kib, most: most, largest: kib}
}

func tiled[P any](name string) kind {
	k := mapped[P](name)
	k.unit = 64 * kib
	return k
}

// within is a pool whose blocks lie within a chunk of the usual size.
func within(k kind) kind {
	k.largest = 64 * kib
	return k
}

// single is a pool that has one chunk: as long as that is in use, no other comes.
func single(k kind, limit int64) kind {
	k.limit, k.most = limit, limit
	k.row.inUse = func(_ *member, busy []extent) int64 {
		if len(busy) > 0 {
			return limit
		}
		return 0
	}
	return k
}

func blocksAlone[P any](name string) kind {
	return kind{name: name, new: opened[P], row: blocksOf(device), limit: 512 * kib, most: mib, largest: 96 * kib}
}

// device is the granularity of memory of devices.
const device = 512

// groups lists the pools. Those of a group share a budget.
var groups = []struct {
	budget int64 // 0: none
	device int64 // memory of the device; 0: more than the pools need
	kinds  []kind
}{
	{0, 0, []kind{paged[HeapPool]("heap", 2*mib)}},
	{0, 12 * mib, []kind{paged[HeapPool]("heap on a small device", 2*mib)}},
	{0, 12 * mib, []kind{paged[FlowClassedPool]("classes on a small device", 2*mib)}},
	{0, 0, []kind{paged[FirstPool]("first", 2*mib)}},
	{0, 0, []kind{paged[BestPool]("best", 2*mib)}},
	{0, 0, []kind{paged[AlonePool]("alone", 2*mib)}},
	{0, 0, []kind{paged[CoarsePool]("coarse", 8*mib)}},
	{0, 0, []kind{paged[QuickPool]("quick", 2*mib)}},
	{0, 0, []kind{paged[BinnedPool]("binned", 2*mib)}},
	{0, 0, []kind{paged[ClassedPool]("classes", 2*mib)}},
	{0, 0, []kind{paged[ManyHeapPool]("sharded heap", 2*mib)}},
	{0, 0, []kind{paged[ManyBinnedPool]("sharded binned", 2*mib)}},
	{0, 0, []kind{paged[ManyClassedPool]("sharded classes", 2*mib)}},
	{0, 0, []kind{paged[FlowHeapPool]("heap with streams", 2*mib)}},
	{0, 0, []kind{paged[FlowPeakPool]("peak", 2*mib)}},
	{0, 0, []kind{paged[FlowBinnedPool]("binned with streams", 2*mib)}},
	{0, 0, []kind{paged[FlowClassedPool]("classes with streams", 2*mib)}},
	{0, 0, []kind{paged[FlowPeakClassedPool]("peak of classes", 2*mib)}},
	{0, 0, []kind{paged[FlowManyPool]("sharded heap with streams", 2*mib)}},
	{16 * mib, 0, []kind{paged[LeftPool]("left", 2*mib), paged[RightPool]("right", 2*mib)}},
	{0, 0, []kind{chunked[ChunkHeapPool]("chunks heap")}},
	{0, 0, []kind{chunked[ChunkBinnedPool]("chunks binned")}},
	{0, 0, []kind{chunked[ChunkClassedPool]("chunks classes")}},
	{0, 0, []kind{within(chunked[ChunkRingPool]("chunks ring"))}},
	{0, 0, []kind{items[ChunkFixedPool]("chunks fixed", 64*kib)}},
	{0, 0, []kind{single(items[SinglePool]("single chunk", 0), 32*kib)}},
	{0, 0, []kind{single(chunked[SingleHeapPool]("single chunk heap"), 64*kib)}},
	{0, 0, []kind{chunked[DoublingPool]("chunks doubling")}},
	{0, 0, []kind{chunked[ManyChunkHeapPool]("sharded chunks heap")}},
	{0, 0, []kind{chunked[ManyChunkBinnedPool]("sharded chunks binned")}},
	{0, 0, []kind{chunked[ManyChunkClassedPool]("sharded chunks classes")}},
	{0, 0, []kind{items[ManyChunkFixedPool]("sharded chunks fixed", 64*kib)}},
	{0, 0, []kind{chunked[FlowChunkHeapPool]("chunks heap with streams")}},
	{0, 0, []kind{items[FlowChunkFixedPool]("chunks fixed with streams", 64*kib)}},
	{0, 0, []kind{within(chunked[FlowChunkRingPool]("chunks ring with streams"))}},
	{0, 0, []kind{chunked[FlowChunkManyPool]("sharded chunks heap with streams")}},
	{0, 0, []kind{chunked[LatePool]("deferred")}},
	{512 * kib, 0, []kind{chunked[ChunkLeftPool]("chunks left"), chunked[ChunkRightPool]("chunks right")}},
	{0, 0, []kind{mapped[MappedPool]("mapped ring")}},
	{0, 0, []kind{chunked[AsyncPool]("async")}},
	{0, 0, []kind{chunked[DriverPool]("driver's pool")}},
	{0, 0, []kind{blocksAlone[DirectPool]("direct")}},
	{0, 0, []kind{blocksAlone[FlowDirectPool]("direct with streams")}},
	{0, 0, []kind{within(chunked[BumpPool]("bump"))}},
	{0, 0, []kind{within(chunked[ManyBumpPool]("sharded bump"))}},
	{0, 0, []kind{mapped[MappedBumpPool]("mapped bump")}},
	{0, 0, []kind{within(onHost[HostBumpPool]("bump on the host", 4*kib))}},
	{0, 0, []kind{tiled[TilePool]("tiles")}},
	{0, 0, []kind{tiled[TileClassedPool]("tiles classes")}},
	{0, 0, []kind{tiled[TileRingPool]("tiles ring")}},
	{0, 0, []kind{tiled[TileBumpPool]("tiles bump")}},
	{0, 0, []kind{tiled[ManyTilePool]("sharded tiles")}},
	{0, 0, []kind{onHost[HostPool]("host", 4*kib)}},
	{0, 0, []kind{onHost[CustomPool]("custom", 4*kib)}},
	{0, 0, []kind{onHost[PinnedPool]("pinned", 4*kib)}},
	{0, 0, []kind{onHost[ManagedPool]("managed", 64*kib)}},
}
