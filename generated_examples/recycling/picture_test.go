package recycling

import (
	"bytes"
	"errors"
	"runtime"
	"testing"
	"time"

	poolrt "github.com/poolgen/poolgen/runtime"
)

// collect runs the garbage collector until what it finds has been returned, which happens some time after a collection. It reports whether it was.
func collect(returned func() bool) bool {
	for range 1000 {
		runtime.GC()
		if returned() {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// Both programs show the pixels of a picture.
func TestPictures(t *testing.T) {
	machine(t)
	s, pool, start := stream(t), new(PixelPool), used()
	for colour := range byte(3) {
		pixels, before, after := bytes.Repeat([]byte{colour}, 1<<20), make([]byte, 1<<20), make([]byte, 1<<20)
		ok(t, showCollected(pixels, before, s))
		ok(t, show(pool, pixels, after, s))
		if !bytes.Equal(before, pixels) || !bytes.Equal(after, pixels) {
			t.Error("it shows something else")
		}
	}
	ok(t, pool.Close())
	collect(func() bool { return used() <= start }) // on the simulated driver, the machine looks for what is left over
}

// A picture that nobody closes is counted, and its memory comes back. A closed one is not counted.
func TestForgottenPicture(t *testing.T) {
	machine(t)
	s, pool, counted := stream(t), new(PixelPool), forgotten.Load()
	p, err := newPicture(pool, 1000, s)
	ok(t, err)
	ok(t, p.close())
	if err := p.close(); !errors.Is(err, poolrt.ErrDoubleFree) {
		t.Errorf("a second close: %v", err)
	}
	_, err = newPicture(pool, 1000, s)
	ok(t, err)
	if !collect(func() bool { return pool.Stats().Live == 0 }) {
		t.Error("the memory of the forgotten picture did not come back")
	}
	if n := forgotten.Load() - counted; n != 1 {
		t.Errorf("%d pictures forgotten, want 1", n)
	}
	ok(t, pool.Close())
}

// More pixels than a picture has are refused.
func TestPixelsThatDoNotFit(t *testing.T) {
	machine(t)
	s, pool := stream(t), new(PixelPool)
	p, err := newPicture(pool, 1000, s)
	ok(t, err)
	if err := p.write(make([]byte, 1001)); !errors.Is(err, poolrt.ErrBadSize) {
		t.Errorf("a pixel more: %v", err)
	}
	ok(t, p.close())
	ok(t, pool.Close())
}
