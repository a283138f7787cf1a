// Command demandload shows textures that are larger than the memory they get. Frames look at parts of them; a kernel finds out which pages they see and
// which of those are not there; these are loaded, and where there is no room, the pages that were not seen for longest are dropped. What is there is read
// back through the textures and compared with its image.
//
//	go run ./generated_examples/demandload -frames 20 -limit 6
//
// runs on a GPU that has sparse arrays, and says so where there is none;
//
//	go run -tags cudasim ./generated_examples/demandload
//	go test -tags cudasim ./generated_examples/demandload
//
// runs anywhere. The memory is that of six pools, whose description in poolgen.yaml is a good place to begin reading: small records of
// the device that live long, large arrays of it, tiles for textures, page-locked buffers and lists of the device that come and
// go with the streams, and a range of numbers. After that, [Loader] puts them together.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/poolgen/poolgen/cuda"
)

func main() {
	frames := flag.Int("frames", 16, "how many frames to draw")
	limit := flag.Int64("limit", 6, "memory of textures in MiB, 2 at least")
	device := flag.Int("device", 0, "number of the device")
	flag.Parse()
	o := Options{Device: cuda.Device(*device), Limit: *limit << 20, Requests: 1024}
	if err := show(os.Stdout, o, *frames); err != nil {
		fmt.Fprintln(os.Stderr, "demandload:", err)
		os.Exit(1)
	}
}

// show draws frames, and tells what became of each, and in the end of the memory.
func show(w io.Writer, o Options, frames int) error {
	l, err := NewLoader(o)
	if err != nil {
		return err
	}
	if err = l.fly(w, frames); err == nil {
		fmt.Fprintln(w)
		l.pools.tell(w)
	}
	return errors.Join(err, l.Close())
}

// fly takes frames over two textures, the ground and clouds above it that move faster, and prints a line for each.
func (l *Loader) fly(w io.Writer, frames int) error {
	ground, err := l.AddTexture(16, 16, 1, checkered(1, 1))
	if err != nil {
		return err
	}
	clouds, err := l.AddTexture(8, 8, 4, checkered(2, 4))
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%5s %6s %6s %6s %8s %6s %10s\n", "frame", "seen", "hits", "loads", "evicted", "left", "KiB loaded")
	for i := range uint32(frames) {
		r, err := l.Frame(flight(ground, i, 96), flight(clouds, i, 256))
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%5d %6d %6d %6d %8d %6d %10d\n", i+1, r.Seen, r.Hits, r.Loads, r.Evicted, r.Left+r.Overflow, r.Bytes>>10)
	}
	return l.Finish()
}

// flight is the view of a frame: it moves on by so many texels, and every eighth frame it is back where it began.
func flight(t *Texture, frame, speed uint32) View {
	at := frame % 8 * speed
	return View{Texture: t, X: at, Y: at / 2, Width: 96, Height: 72, Step: 8}
}

// checkered is an image that a texel's place decides, so that a page in the wrong place or of the wrong texture is noticed.
func checkered(seed uint32, channels int) Image {
	return func(dst []byte, x, y int) {
		for i := range dst {
			texel := i / channels
			u, v := uint32(x+texel%pageSide), uint32(y+texel/pageSide)
			dst[i] = byte((u*2654435761 ^ v*40503 ^ uint32(i%channels)<<7) * (2*seed + 1) >> 13)
		}
	}
}
