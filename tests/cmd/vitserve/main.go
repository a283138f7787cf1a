// Command vitserve writes a trace of the device memory of a program that serves a vision transformer on four streams. The program is a model of one, not a
// recording: a computation of sizes and times with a seed, so everybody gets the same trace.
//
//	go run ./tests/cmd/vitserve > generated_examples/traces/testdata/vit_serve.csv.gz
//
// Requests are batches of images in several resolutions. Stream 0 uploads them and downloads what the model has found. Three streams compute, a batch each at a
// time. So the images are allocated on stream 0 and freed on another, the result the other way round, and the layers in between stay on their stream. Some
// features of the last batches stay: small blocks among large ones.
package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
)

func main() {
	if err := write(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write writes the trace, compressed.
func write(to io.Writer) error {
	z, err := gzip.NewWriterLevel(to, gzip.BestCompression)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(z)
	fmt.Fprintln(w, "# A vision transformer (ViT-B/16, 16 bits) served on four streams: written by tests/cmd/vitserve")
	fmt.Fprintln(w, "op,id,bytes,stream,time_us")
	serve(&recorder{to: w})
	return errors.Join(w.Flush(), z.Close())
}

// The model: ViT-B/16 with weights and activations of 16 bits.
const (
	width  = 768
	heads  = 12
	layers = 12
	patch  = 16
	half   = 2 // bytes of a number
)

// The load.
const (
	batches = 90
	matrix  = 128 << 20 // bytes that the attention of a batch may take, about
	compute = 3         // streams, beside that of the copies
	copies  = 0         // the stream of the copies
	pause   = 1000      // microseconds between the batches of a stream, at most
	kept    = 20        // batches whose features stay for a while
)

// resolutions are the widths and heights of images in pixels, the first of which is the most frequent.
var resolutions = []int{224, 224, 224, 288, 384, 512}

// recorder writes the events of a trace.
type recorder struct {
	to   io.Writer
	ids  int
	kept []int
	now  int // microseconds
}

// alloc records a block that is allocated on a stream, and returns its number.
func (r *recorder) alloc(bytes, stream int) int {
	id := r.ids
	r.ids++
	fmt.Fprintf(r.to, "a,%d,%d,%d,%d\n", id, bytes, stream, r.now)
	return id
}

// free records that a block is freed on a stream.
func (r *recorder) free(id, stream int) { fmt.Fprintf(r.to, "f,%d,,%d,%d\n", id, stream, r.now) }

// batch is a request on its way through the program.
type batch struct {
	images, tokens int
	input          int // a block: the pixels
	steps          []step
}

// step is what the host does for a batch in one go, and how long the device takes for it, in microseconds.
type step struct {
	do   func()
	took int
}

// worker is a stream that computes.
type worker struct {
	stream int
	at     int // the time of its next step
	now    *batch
}

// serve computes all batches. The worker whose time has come first does its next step.
func serve(r *recorder) {
	random := rand.New(rand.NewPCG(16, 224))
	load(r)
	workers := make([]worker, compute)
	for i := range workers {
		workers[i] = worker{stream: copies + 1 + i, at: 1000 * i}
	}
	for left := batches; ; {
		w := &workers[0]
		for i := range workers {
			if next := &workers[i]; w.idle(left) || !next.idle(left) && next.at < w.at {
				w = next
			}
		}
		if w.idle(left) {
			return
		}
		r.now = max(r.now, w.at)
		if w.now == nil {
			left--
			w.now = newBatch(r, random, w.stream)
			w.at += 100 + random.IntN(pause) // until it has come
			continue
		}
		s := w.now.steps[0]
		s.do()
		w.at += s.took*(90+random.IntN(20))/100 + 1
		if w.now.steps = w.now.steps[1:]; len(w.now.steps) == 0 {
			w.now = nil
		}
	}
}

// idle reports whether the worker has nothing to do any more.
func (w *worker) idle(left int) bool { return w.now == nil && left == 0 }

// load records the weights, which stay.
func load(r *recorder) {
	r.alloc(3*patch*patch*width*half, copies)
	r.alloc(1025*width*half, copies) // positions
	for range layers {
		for _, n := range []int{3 * width * width, 3 * width, width * width, width, 4 * width * width, 4 * width, 4 * width * width, width, 2 * width, 2 * width} {
			r.alloc(n*half, copies)
		}
	}
}

// images returns how many images a batch has: no more than the memory for the largest of its matrices is bounded to.
func images(random *rand.Rand, tokens int) int {
	bound := matrix / (heads * tokens * tokens * half)
	return bound/8 + 1 + random.IntN(bound)
}

// newBatch uploads a batch, and returns it with all of its steps.
func newBatch(r *recorder, random *rand.Rand, stream int) *batch {
	pixels := resolutions[random.IntN(len(resolutions))]
	b := &batch{tokens: pixels/patch*(pixels/patch) + 1}
	b.images = images(random, b.tokens)
	raw := r.alloc(b.images*pixels*pixels*3, copies) // bytes of colours
	b.input = r.alloc(b.images*pixels*pixels*3*half, copies)
	r.free(raw, copies)

	all := b.images * b.tokens * width * half // the size of an activation
	var x int
	b.add(all, func() {
		patches := r.alloc(all, stream)
		r.free(b.input, stream)
		x = r.alloc(all, stream)
		r.free(patches, stream)
	})
	for range layers {
		b.layer(r, stream, &x, all)
	}
	b.add(all, func() {
		features := r.alloc(b.images*b.tokens*width/8*half, stream)
		result := r.alloc(b.images*1000*4, stream)
		r.free(x, stream)
		b.add(100_000, func() { // the result has been copied to the host; the features of the last batches stay
			r.free(result, copies)
			if r.kept = append(r.kept, features); len(r.kept) > kept {
				r.free(r.kept[0], copies)
				r.kept = r.kept[1:]
			}
		})
	})
	return b
}

// layer adds the steps of a layer, which replaces the activation x.
func (b *batch) layer(r *recorder, stream int, x *int, all int) {
	scores := b.images * heads * b.tokens * b.tokens * half
	var qkv, score, weights, mixed, normal, hidden int
	b.add(all, func() {
		normal = r.alloc(all, stream)
		qkv = r.alloc(3*all, stream)
		r.free(normal, stream)
	})
	b.add(scores, func() {
		score = r.alloc(scores, stream)
		weights = r.alloc(scores, stream)
		r.free(score, stream)
	})
	b.add(scores, func() {
		mixed = r.alloc(all, stream)
		r.free(weights, stream)
		r.free(qkv, stream)
	})
	b.add(all, func() { // behind the attention
		next := r.alloc(all, stream)
		r.free(mixed, stream)
		r.free(*x, stream)
		*x = next
	})
	b.add(4*all, func() {
		normal = r.alloc(all, stream)
		hidden = r.alloc(4*all, stream)
		r.free(normal, stream)
	})
	b.add(4*all, func() {
		next := r.alloc(all, stream)
		r.free(hidden, stream)
		r.free(*x, stream)
		*x = next
	})
}

// add adds a step, whose time is that of the memory it writes.
func (b *batch) add(bytes int, do func()) { b.steps = append(b.steps, step{do, 5 + bytes/500_000}) }
