package browser

import (
	"math/rand/v2"
	"net/http/httptest"
	"testing"

	"github.com/poolgen/poolgen/generated_examples/caching"
	"github.com/poolgen/poolgen/generated_examples/scene"
	"github.com/poolgen/poolgen/generated_examples/tracked"
	"github.com/poolgen/poolgen/runtime/poolz"
)

// program uses pools of the examples in a random order, which is always the same.
type program struct {
	t       *testing.T
	random  *rand.Rand
	index   scene.IndexPool
	vertex  scene.VertexPool
	tensor  caching.TensorPool
	page    tracked.PagePool
	release []func() error // what is live
}

// start uses the pools for a while. They are closed when the test ends.
func start(t *testing.T) *program {
	t.Helper()
	p := &program{t: t, random: rand.New(rand.NewPCG(1, 2))}
	t.Cleanup(func() {
		for _, pool := range []interface{ CloseForce() error }{&p.index, &p.vertex, &p.tensor, &p.page} {
			p.check(pool.CloseForce())
		}
	})
	p.check(p.page.Track(1000, 4096))
	for range 12000 {
		p.step()
	}
	return p
}

func (p *program) check(err error) {
	if err != nil {
		p.t.Error(err)
	}
}

// hold keeps a block if the allocation succeeded. The page also shows failures at the limit.
func (p *program) hold(err error, release func() error) {
	if err == nil {
		p.release = append(p.release, release)
	}
}

// step allocates a block of one of the pools, or frees one.
func (p *program) step() {
	if n := len(p.release); n > 0 && p.random.IntN(1000) < 470 {
		i := p.random.IntN(n)
		p.check(p.release[i]())
		p.release[i] = p.release[n-1]
		p.release = p.release[:n-1]
		return
	}
	switch p.random.IntN(10) {
	case 0, 1, 2, 3:
		b, err := p.index.Alloc(1 << (4 + p.random.IntN(12)))
		p.hold(err, func() error { return p.index.Free(b) })
	case 4, 5, 6:
		b, err := p.vertex.Alloc()
		p.hold(err, func() error { return p.vertex.Free(b) })
	case 7:
		b, err := p.page.Alloc(1 + p.random.IntN(60))
		p.hold(err, func() error { return p.page.Free(b) })
	default:
		b, err := p.tensor.Alloc(1 << (10 + p.random.IntN(10)))
		p.hold(err, func() error { return p.tensor.Free(b) })
	}
}

// serve serves the page, and returns its address.
func serve(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(poolz.Handler())
	t.Cleanup(s.Close)
	return s.URL + "/"
}
