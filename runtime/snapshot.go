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

// Snapshot is what some pools hold at one time, block by block. A snapshot takes 40 bytes of memory for each block and each free range. [Snapshot.Write] writes it
// to a file.
type Snapshot struct {
	Time    time.Time      `json:"time"`            // when the snapshot was begun
	Program string         `json:"program"`         // import path of the main package or, if that is not known, the name of the executable file
	Debug   bool           `json:"debug,omitempty"` // the program was built with the tag pooldebug
	Pools   []PoolSnapshot `json:"pools"`
	Sites   []Site         `json:"sites,omitempty"` // call stacks that allocated live blocks, with the tags pooldebug and pooltrace
}

// PoolSnapshot is one pool of a [Snapshot]. Sizes are in units of the pool.
type PoolSnapshot struct {
	PoolInfo
	// Walked reports whether the fields below are set. They are not set for a pool with concurrency none, unless its owner has taken the snapshot: only the owner may
	// read the chunks of such a pool.
	Walked  bool            `json:"walked"`
	Chunks  []ChunkSnapshot `json:"chunks,omitempty"`  // by address
	Pending []PendingFrees  `json:"pending,omitempty"` // frees that streams have not passed yet, by stream
	Classes []ClassStats    `json:"classes,omitempty"` // what each size class holds, and the rest; nil in a pool without classes
	Events  []FlightEvent   `json:"events,omitempty"`  // the last events, the oldest first, with the tag pooltrace
	Free    int64           `json:"free"`              // size of all free pieces together
	// Fragmentation is 1 - largest free piece / Free: 0 if all free memory is one piece, or if there is none, and near 1 if it is many small pieces.
	Fragmentation float64 `json:"fragmentation"`
}

// ChunkSnapshot is one chunk of a pool. Its pieces cover the chunk without gap or overlap.
//
// In programs built with the tag pooldebug, blocks have space between them. Chunks and pieces are twice as large there as without the tag, and the statistics of the
// pool are the same.
type ChunkSnapshot struct {
	Addr   uint64 `json:"addr"` // address, or first number of the chunk
	Size   uint64 `json:"size"`
	Origin uint64 `json:"origin,omitempty"` // what the allocator knows the chunk by, such as a handle
	// Resident is how many bytes are in pages that exist, for mappings on Linux; 0 where that is not known. The rest takes up no memory of the machine yet, or was given
	// back by Trim.
	Resident uint64 `json:"resident,omitempty"`
	Pieces   Pieces `json:"pieces"`
}

// Frame is one call of a call stack.
type Frame struct {
	Function string `json:"function"` // with its package path
	File     string `json:"file"`
	Line     int    `json:"line"`
	// Generated reports whether the call is in a file that poolgen has generated for the pool. The first frame of a stack that is not generated has called the pool.
	Generated bool `json:"generated,omitempty"`
}

// Site is a call stack that has allocated blocks, the innermost call first. The stack begins with the functions of the pool that the program called, and leaves out
// what these call.
type Site struct {
	Frames []Frame `json:"frames"`
}

// Snapshots is a pool, or several pools, of which [TakeSnapshot] takes a snapshot. All generated pools implement it.
type Snapshots interface{ Snapshot() *Snapshot }

// TakeSnapshot takes a snapshot of the given pools. Without arguments it takes one of all pools that [Pools] lists.
//
// A snapshot of 100,000 blocks takes some milliseconds. TakeSnapshot locks a pool for some tens of microseconds at a time, for 2048 pieces, so allocations go
// on meanwhile; a pool with size classes is locked once for as long as its method Classes takes. Pieces that are listed already are not revised: a block that
// is freed and allocated again elsewhere meanwhile may be listed twice or not at all. Chunks that are obtained or returned meanwhile are left out.
//
// Safe for concurrent use, with one exception: only its owner may pass a pool with concurrency none. Without arguments, such pools are listed with their last
// statistics alone, and Walked is false.
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

// TakeSnapshotNamed takes a snapshot of all pools of the program whose name, as [Pools] lists it, is one of the given names. A name that no
// pool has is not an error. Cost and concurrency are those of [TakeSnapshot] without arguments.
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

// ErrBadSnapshot means that the data is not a snapshot of pools, or has another version.
var ErrBadSnapshot = errors.New("not a snapshot of pools")

// snapshotFormat and snapshotVersion begin a file. Readers ignore fields that they do not know: only a change that such readers would misunderstand needs another
// version.
const (
	snapshotFormat  = "poolgen snapshot"
	snapshotVersion = 1
)

// snapshotText is the number of bytes of JSON that a file may have. 100,000 blocks take about 1 MB.
const snapshotText = 128 << 20

// snapshotHead is the start of a file.
type snapshotHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
}

// snapshotFile is the whole file.
type snapshotFile struct {
	snapshotHead
	*Snapshot
}

// Write writes the snapshot as JSON, compressed with gzip: about 1 MB of JSON for 100,000 blocks. An error is that of w.
func (s *Snapshot) Write(w io.Writer) error {
	z := gzip.NewWriter(w)
	err := json.NewEncoder(z).Encode(snapshotFile{snapshotHead{snapshotFormat, snapshotVersion}, s})
	return errors.Join(err, z.Close())
}

// ReadSnapshot reads what [Snapshot.Write] has written. For other data it fails with an error that matches [ErrBadSnapshot] and says at which byte of the JSON the
// fault is. The input may be hostile: ReadSnapshot reads at most 128 MiB of JSON, and uses memory in proportion to it.
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

// unzip returns the JSON, or the part of it that precedes an error. More than the given number of bytes is an error.
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

// badJSON adds the place of the fault to an error of package json.
func badJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var pieces *badPieces
	at := 0
	switch {
	case errors.As(err, &pieces): // the first place with this text: an earlier one would have failed first
		at = bytes.Index(text, pieces.text)
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at = int(kind.Offset)
	}
	return badSnapshot(at, err)
}

// badSnapshot returns an error that matches ErrBadSnapshot and names the byte.
func badSnapshot(at int, err error) error {
	return fmt.Errorf("%w: byte %d: %w", ErrBadSnapshot, at, err)
}

// check returns an error for a snapshot that no program has written.
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
