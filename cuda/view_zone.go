package cuda

import (
	"errors"
	"fmt"
	"slices"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// In programs built with the tag pooldebug, there are bytes behind each item that no kernel may write to.
const (
	zoneBytes = 16      // at least so many
	zoneValue = 0xFD    // as around blocks
	zonesRead = 4 << 20 // are read at a time
)

// zone returns how many bytes stay free behind an item.
func zone() int64 {
	if poolrt.Debug {
		return zoneBytes
	}
	return 0
}

// Inspect is for generated pools, which call it before they free the block of a view. In programs built with the tag pooldebug it reports what kernels
// did wrong: damage, and frees that were refused.
func (v FixedView) Inspect() error {
	if !poolrt.Debug || v.at == 0 {
		return nil
	}
	s := Stream{device: v.device}
	c, err := v.Counts(s)
	if err != nil {
		return ignoreForeign(err)
	}
	err = v.Check(s)
	if c.BadFrees > 0 {
		err = errors.Join(err, misuse("FreeView", poolrt.ErrInvalidFree, fmt.Sprintf("the view at %#x: kernels freed %d times what was no live item of it", uint64(v.at), c.BadFrees)))
	}
	return err
}

// ignoreForeign leaves the report about a view that has ended to the free of its block.
func ignoreForeign(err error) error {
	if errors.Is(err, poolrt.ErrForeign) {
		return nil
	}
	return err
}

// zonesDamage returns what was written behind an item; "" if nothing was.
func (v FixedView) zonesDamage(s Stream) (string, error) {
	l := &v.layout
	room := l.distance - l.item
	some := max(zonesRead/l.distance, 1)
	for first := int64(0); first < l.count; first += some {
		b := make([]byte, min(some, l.count-first)*l.distance)
		if err := CopyToHostAsync(b, v.At(int(first)), s); err != nil { //poolgen:ignore PG109 it is to wait
			return "", err
		}
		for i := int64(0); i*l.distance < int64(len(b)); i++ {
			z := b[i*l.distance+l.item:][:room]
			if at := slices.IndexFunc(z, func(b byte) bool { return b != zoneValue }); at >= 0 {
				return fmt.Sprintf("memory behind item %d was written to, from its byte %d on: %x", first+i, l.item+int64(at), z[at:min(at+8, len(z))]), nil
			}
		}
	}
	return "", nil
}
