package runtime

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

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
