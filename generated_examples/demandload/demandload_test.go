package main

import (
	"strings"
	"testing"

	"github.com/poolgen/poolgen/cuda"
)

// ok stops the test on an error.
func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open makes a loader for the length of the test, whose end verifies what was drawn last and finds what was not freed.
func open(t *testing.T, o Options) *Loader {
	t.Helper()
	machine(t)
	l, err := NewLoader(o)
	ok(t, err)
	t.Cleanup(func() { ok(t, l.Close()) })
	return l
}

// add makes a texture.
func add(t *testing.T, l *Loader, columns, rows, channels int) *Texture {
	t.Helper()
	x, err := l.AddTexture(columns, rows, channels, checkered(uint32(columns), channels))
	ok(t, err)
	return x
}

// frame draws one and checks what holds for all: each page that was seen went one way, and no more memory is taken than is allowed.
func frame(t *testing.T, l *Loader, views ...View) Report {
	t.Helper()
	r, err := l.Frame(views...)
	ok(t, err)
	if r.Seen != r.Hits+r.Loads+r.Left+r.Overflow {
		t.Errorf("%+v", r)
	}
	if s := l.pools.pages.Stats(); s.Reserved > l.Limit || s.LiveBytes > s.Reserved || s.Live != int64(l.resident.order.Len()) {
		t.Errorf("limit %d, %d residents: %+v", l.Limit, l.resident.order.Len(), s)
	}
	return r
}

// whole sees pages of a texture from one on, each with 16 x 16 pixels.
func whole(x *Texture, column, row, columns, rows uint32) View {
	return View{Texture: x, X: column * pageSide, Y: row * pageSide, Width: columns * 16, Height: rows * 16, Step: pageSide / 16}
}

// A long flight over more than there is memory for. What is drawn shows its images, whatever was loaded and dropped in between.
func TestFlight(t *testing.T) {
	l := open(t, Options{Limit: 6 << 20, Requests: 1024})
	ground, clouds, haze := add(t, l, 16, 16, 1), add(t, l, 8, 8, 4), add(t, l, 5, 3, 2)
	var all Report
	for i := range uint32(40) {
		r := frame(t, l, flight(ground, i, 96), flight(clouds, i, 256), whole(haze, i/4, 0, 2, 1))
		all.Hits += r.Hits
		all.Loads += r.Loads
		all.Evicted += r.Evicted
	}
	if all.Hits < all.Loads || all.Evicted == 0 {
		t.Errorf("%+v", all)
	}
	t.Logf("%+v", all)
}

// A page that was dropped is loaded again when it is seen again.
func TestLoadedAgain(t *testing.T) {
	l := open(t, Options{Limit: 2 << 20, Requests: 64})
	x := add(t, l, 12, 4, 1)
	for _, step := range []struct {
		column               uint32
		hits, loads, evicted int
	}{
		{0, 0, 16, 0}, {0, 16, 0, 0}, {4, 0, 16, 0}, {0, 16, 0, 0}, // both halves of the memory
		{8, 0, 16, 16}, {0, 16, 0, 0}, {4, 0, 16, 16}, {8, 0, 16, 16}, // those in the middle were not seen for longest
	} {
		r := frame(t, l, whole(x, step.column, 0, 4, 4))
		if r.Hits != step.hits || r.Loads != step.loads || r.Evicted != step.evicted {
			t.Errorf("%+v: %+v", step, r)
		}
	}
	ok(t, l.Finish())
}

// A frame that sees more than there is memory for keeps what it has, instead of dropping what it draws.
func TestMoreThanThereIs(t *testing.T) {
	l := open(t, Options{Limit: 2 << 20, Requests: 64})
	x := add(t, l, 8, 8, 1)
	for i := range 3 {
		r := frame(t, l, whole(x, 0, 0, 8, 8))
		if want := min(i, 1) * 32; r.Hits != want || r.Left != 32 || r.Evicted != 0 {
			t.Errorf("frame %d: %+v", i, r)
		}
	}
}

// Pages of four tiles need them in one row. Dropping pages of one tile makes such rows.
func TestLargePagesAfterSmallOnes(t *testing.T) {
	l := open(t, Options{Limit: 2 << 20, Requests: 64})
	small, large := add(t, l, 8, 4, 1), add(t, l, 4, 2, 4)
	frame(t, l, whole(small, 0, 0, 8, 4))
	r := frame(t, l, whole(large, 0, 0, 4, 2), whole(small, 7, 3, 1, 1))
	if r.Hits != 1 || r.Loads != 7 || r.Left != 1 {
		t.Errorf("%+v", r)
	}
	if r = frame(t, l, whole(large, 0, 0, 4, 2)); r.Hits != 7 || r.Loads != 1 || r.Evicted == 0 {
		t.Errorf("%+v", r)
	}
}

// What a frame has no room to ask for, the next ones ask for.
func TestFewRequests(t *testing.T) {
	l := open(t, Options{Limit: 4 << 20, Requests: 5})
	x := add(t, l, 4, 4, 1)
	for i, want := range []int{5, 5, 5, 1, 0} {
		if r := frame(t, l, whole(x, 0, 0, 4, 4)); r.Loads != want || r.Hits != min(5*i, 16) {
			t.Errorf("frame %d: %+v", i, r)
		}
	}
}

// Textures repeat beyond their edges, and the host agrees with the device on which page that is.
func TestRepeated(t *testing.T) {
	l := open(t, Options{Limit: 4 << 20, Requests: 64})
	x := add(t, l, 3, 3, 2)
	if r := frame(t, l, whole(x, 2, 2, 7, 1)); r.Seen != 3 || r.Loads != 3 {
		t.Errorf("%+v", r)
	}
	if r := frame(t, l, whole(x, 0, 2, 3, 1)); r.Hits != 3 {
		t.Errorf("%+v", r)
	}
}

// A wrong texel is found: what is drawn is what the device holds.
func TestWrongTexel(t *testing.T) {
	machine(t)
	l, err := NewLoader(Options{Limit: 2 << 20, Requests: 8})
	ok(t, err)
	x := add(t, l, 1, 1, 1)
	frame(t, l, whole(x, 0, 0, 1, 1))
	ok(t, l.Finish())
	ok(t, x.array.Write(200, 100, 1, 1, []byte{^checkerAt(x, 200, 100)}))
	frame(t, l, whole(x, 0, 0, 1, 1))
	if err := l.Finish(); err == nil || !strings.Contains(err.Error(), "page 0, 0") {
		t.Errorf("a wrong texel: %v", err)
	}
	ok(t, l.Close())
}

// checkerAt is what a texture of one page and channel has at a place.
func checkerAt(x *Texture, column, row int) byte {
	b := make([]byte, pageSide*pageSide)
	x.image(b, 0, 0)
	return b[row*pageSide+column]
}

// The program prints a line for each frame and one for each pool, and leaves nothing behind.
func TestShow(t *testing.T) {
	machine(t)
	var told strings.Builder
	ok(t, show(&told, Options{Device: cuda.Device(0), Limit: 6 << 20, Requests: 1024}, 10))
	if n := strings.Count(told.String(), "\n"); n != 1+10+1+1+6 {
		t.Errorf("%d lines", n)
	}
	t.Logf("\n%s", &told)
}
