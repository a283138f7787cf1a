package memorymap

import (
	"fmt"
	"strings"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/spec"
)

// OneSize reports whether all blocks have one size. Every free block then serves every request, and their
// fragmentation means nothing.
func OneSize(p *poolrt.PoolInfo) bool { return spec.Suballocator(p.Suballocator).Info().OneSize }

// Kind describes the pool in words.
func Kind(s *poolrt.PoolSnapshot) string {
	words := []string{s.Suballocator, "memory " + s.Allocator, "concurrency " + s.Concurrency, "ordering " + s.Ordering}
	if s.Fit != "" {
		words[0] += " " + s.Fit
	}
	if s.Device >= 0 {
		words = append(words, fmt.Sprintf("device %d", s.Device))
	}
	return figure.Plain(strings.Join(words, ", "))
}

// scaleOf says how many bytes a row stands for.
func scaleOf(s *poolrt.PoolSnapshot, list []mapRow) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("; a row of full width is %s", figure.Size(perColumn(list)*imageMap, s.Unit))
}

// pendingLines is how many streams of a pool an image names.
const pendingLines = 3

// figures returns the lines below the heading.
func figures(s *poolrt.PoolSnapshot) []string {
	size := func(n int64) string { return figure.Amount(n, s.Unit) }
	line := fmt.Sprintf("%s live in %s, %s reserved, limit %s, largest free %s", size(s.Stats.LiveBytes), figure.Count(s.Stats.Live, "block"),
		size(s.Stats.Reserved), size(s.Stats.Limit), size(s.Stats.LargestFree))
	if s.Walked && !OneSize(&s.PoolInfo) {
		line += fmt.Sprintf(", fragmentation %.2f", s.Fragmentation)
	}
	if s.Stats.Failures > 0 {
		line += ", " + figure.Count(s.Stats.Failures, "failure")
	}
	lines := []string{line}
	for i, q := range s.Pending {
		if i == pendingLines {
			lines = append(lines, fmt.Sprintf("pending on %d more streams", len(s.Pending)-i))
			break
		}
		lines = append(lines, fmt.Sprintf("pending on stream %d of device %d: %s in %s", q.Stream, q.Device, size(q.Bytes), figure.Count(q.Blocks, "block")))
	}
	if !s.Walked {
		lines = append(lines, NotWalked)
	}
	return lines
}

// NotWalked says why a pool has no map.
const NotWalked = "not looked at: a pool of concurrency none shows its blocks to its owner alone, by its method Snapshot"

// rowAbout describes the content of a row in words.
func rowAbout(s *poolrt.PoolSnapshot, r *mapRow) string {
	var parts []string
	b := r.inStates()
	for _, state := range stack {
		if b[state] > 0 {
			parts = append(parts, figure.Size(float64(b[state]), s.Unit)+" "+Name(state))
		}
	}
	return Place(s, r.Addr) + ": " + strings.Join(parts, ", ")
}
