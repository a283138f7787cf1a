package poolrt

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// Snapshot is what some pools hold at one time, block by block. It takes 40 bytes for each block and free range. [Snapshot.Write] writes
// it to a file.
type Snapshot struct {
	Time    time.Time      `json:"time"`
	Program string         `json:"program"`         // import path of the main package, else the name of the file that was started
	Debug   bool           `json:"debug,omitempty"` // built with the tag pooldebug
	Pools   []PoolSnapshot `json:"pools"`
	Sites   []Site         `json:"sites,omitempty"` // that live blocks were handed out to, under the tags pooldebug and pooltrace
}

// PoolSnapshot is one pool of a snapshot. Sizes are in the pool's unit.
type PoolSnapshot struct {
	PoolInfo
	// Walked says that what follows was looked at. It is not for pools without a lock (concurrency none), which only their owner may look at, by
	// their method Snapshot.
	Walked  bool            `json:"walked"`
	Chunks  []ChunkSnapshot `json:"chunks,omitempty"`  // by address
	Pending []PendingFrees  `json:"pending,omitempty"` // what streams have not passed
	Events  []FlightEvent   `json:"events,omitempty"`  // the last ones, in order, under the tag pooltrace
	Free    int64           `json:"free"`              // bytes of all free pieces
	// Fragmentation says how far what is free is from being in one piece: 1 - the largest free piece / Free. 0 is all in one, or nothing free.
	Fragmentation float64 `json:"fragmentation"`
}

// ChunkSnapshot is one piece of memory from the allocator. The pieces cover it without gap or overlap. Under the tag pooldebug, blocks lie apart, so
// chunks and pieces have the addresses and sizes of a program that uses twice the memory, while the figures of the pool are those of one without.
type ChunkSnapshot struct {
	Addr   uint64 `json:"addr"` // a number, in pools of numbers
	Size   uint64 `json:"size"`
	Origin uint64 `json:"origin,omitempty"` // the allocator's note, such as a handle
	Pieces Pieces `json:"pieces"`
}

// Frame is one call.
type Frame struct {
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	// Generated says that the call lies in the files that poolgen has written for the pool. The first one of a stack that does not is who called the pool.
	Generated bool `json:"generated,omitempty"`
}

// Site is calls, the innermost first: the first ones are the functions of the pool that were called, without what those call in turn.
type Site struct {
	Frames []Frame `json:"frames"`
}

// Snapshots is a pool, or several, that can be looked at block by block. All generated pools are.
type Snapshots interface{ Snapshot() *Snapshot }

// TakeSnapshot lists what some pools hold or, if none is given, all pools of the program. A pool is locked for a few thousand pieces at a
// time, some tens of microseconds, so allocations go on meanwhile. Each chunk is listed as it was at that moment, and not revised; chunks
// that come or go meanwhile are left out. It is safe for concurrent use, except that pools of concurrency none may be given only by their
// owner. If they are not given, they are listed with their last statistics alone.
func TakeSnapshot(pools ...Snapshots) *Snapshot {
	s := newSnapshot()
	for _, p := range pools {
		s.add(p.Snapshot())
	}
	if len(pools) == 0 {
		for _, p := range allPools() {
			s.add(p.SnapshotForOthers())
		}
	}
	return s
}

// TakeSnapshotNamed is TakeSnapshot for those pools of the program that have one of these names. Several may have a name, or none.
func TakeSnapshotNamed(names ...string) *Snapshot {
	s := newSnapshot()
	for _, p := range allPools() {
		if slices.Contains(names, p.Name()) {
			s.add(p.SnapshotForOthers())
		}
	}
	return s
}

// newSnapshot returns a snapshot of the program without pools.
func newSnapshot() *Snapshot {
	return &Snapshot{Time: time.Now(), Program: registry.Program(), Debug: Debug, Pools: []PoolSnapshot{}}
}

// add appends the pools of another snapshot, whose numbers of sites it changes. The other snapshot must not be used afterwards.
func (s *Snapshot) add(other *Snapshot) {
	before := uint32(len(s.Sites))
	s.Sites = append(s.Sites, other.Sites...)
	move := func(site *uint32) {
		if *site > 0 {
			*site += before
		}
	}
	for _, p := range other.Pools {
		for _, c := range p.Chunks {
			for i := range c.Pieces {
				move(&c.Pieces[i].Site)
			}
		}
		for i := range p.Events {
			move(&p.Events[i].Site)
		}
	}
	s.Pools = append(s.Pools, other.Pools...)
}

// ErrBadSnapshot: what was read is not a snapshot of pools, or is one of a later version.
var ErrBadSnapshot = errors.New("not a snapshot of pools")

// snapshotFormat and snapshotVersion begin a file. Readers ignore fields that they do not know, so only what cannot be understood without them is another version.
const (
	snapshotFormat  = "poolgen snapshot"
	snapshotVersion = 1
)

// snapshotText is how many bytes of JSON a file may have. 100,000 blocks have about 1 MB.
const snapshotText = 128 << 20

// snapshotHead is what a file begins with.
type snapshotHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// snapshotFile is all that is in it.
type snapshotFile struct {
	snapshotHead
	*Snapshot
}

// Write writes the snapshot as JSON, compressed with gzip.
func (s *Snapshot) Write(w io.Writer) error {
	z := gzip.NewWriter(w)
	err := json.NewEncoder(z).Encode(snapshotFile{snapshotHead{snapshotFormat, snapshotVersion}, s})
	return errors.Join(err, z.Close())
}

// ReadSnapshot reads what [Snapshot.Write] wrote. It refuses anything else with an error that matches [ErrBadSnapshot] and says where the
// fault is, in bytes of the JSON. The input may be hostile: at most 128 MiB of JSON are read, and pieces take a small multiple of their text.
func ReadSnapshot(r io.Reader) (*Snapshot, error) {
	text, err := unzip(r, snapshotText)
	if err != nil {
		return nil, badSnapshot(len(text), err)
	}
	var head snapshotHead
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, badJSON(text, err)
	}
	switch {
	case head.Format != snapshotFormat:
		return nil, badSnapshot(0, fmt.Errorf("format %q", head.Format))
	case head.Version != snapshotVersion:
		return nil, badSnapshot(0, fmt.Errorf("version %d, and this reads version %d: read it by the poolgen that the program was built with", head.Version, snapshotVersion))
	}
	f := snapshotFile{Snapshot: new(Snapshot)}
	if err := json.Unmarshal(text, &f); err != nil {
		return nil, badJSON(text, err)
	}
	if err := f.Snapshot.check(); err != nil {
		return nil, badSnapshot(len(text), err)
	}
	return f.Snapshot, nil
}

// unzip returns the JSON, of so many bytes at most, or as much of it as could be had.
func unzip(r io.Reader, most int64) ([]byte, error) {
	z, err := gzip.NewReader(r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	n, err := b.ReadFrom(io.LimitReader(z, most+1))
	if err == nil && n > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return b.Bytes(), err
}

// badJSON says where the JSON is wrong.
func badJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var pieces *badPieces
	at := 0
	switch {
	case errors.As(err, &pieces): // had they been there before, they would have been refused there
		at = bytes.Index(text, pieces.text)
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
	}
	return badSnapshot(at, err)
}

func badSnapshot(at int, err error) error {
	return fmt.Errorf("%w: byte %d: %w", ErrBadSnapshot, at, err)
}

// check refuses what no program has written.
func (s *Snapshot) check() error {
	for i, p := range s.Pools {
		if !(p.Fragmentation >= 0 && p.Fragmentation <= 1) || p.Free < 0 {
			return fmt.Errorf("pool %d: free %d, fragmentation %v", i, p.Free, p.Fragmentation)
		}
		for k, e := range p.Events {
			if uint64(e.Site) > uint64(len(s.Sites)) {
				return fmt.Errorf("pool %d: event %d: site %d of %d", i, k, e.Site, len(s.Sites))
			}
		}
		for k, c := range p.Chunks {
			size := uint64(0)
			for _, piece := range c.Pieces {
				size += piece.Size
				if uint64(piece.Site) > uint64(len(s.Sites)) {
					return fmt.Errorf("pool %d: chunk %d: site %d of %d", i, k, piece.Site, len(s.Sites))
				}
			}
			if size != c.Size {
				return fmt.Errorf("pool %d: chunk %d: pieces of %d in %d", i, k, size, c.Size)
			}
		}
	}
	return nil
}
