package simulator

import (
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
	"github.com/poolgen/poolgen/cuda/internal/simulator/hazard"
)

// context is a context of a device. The handle of a primary context never changes: holders of the handle survive Reset.
type context struct {
	handle  abi.Context
	dev     *device
	fault   abi.Result // result of an operation that failed: every call in the context returns it from then on
	legacy  *stream
	all     []*stream        // in the order of their creation, including destroyed streams with work left
	threads map[int]*stream  // the per-thread default streams
	peers   map[*device]bool // whose memory kernels may access
	ended   ended
}

// ended has the clocks of streams that were destroyed and have no work left. All of their work comes before what waits for the context, and the work of
// blocking streams before that of the legacy default stream.
type ended struct{ all, blocking hazard.Clock }

// forget lets go of a stream.
func (e *ended) forget(s *stream) {
	e.all = e.all.Join(s.clock)
	if s.blocking {
		e.blocking = e.blocking.Join(s.clock)
	}
}

// forgetEnded lets go of the streams that were destroyed and have no work left.
func (c *context) forgetEnded() {
	c.all = slices.DeleteFunc(c.all, func(s *stream) bool {
		over := s.gone && s.idle()
		if over {
			c.ended.forget(s)
		}
		return over
	})
}

// ContextOf returns the handle that the context of a device has while it is retained.
func ContextOf(dev int) abi.Context { return abi.Context(0x1000 + dev) }

// defaultPool returns the handle of the default pool of a device.
func defaultPool(dev int) abi.Pool { return abi.Pool(0x2000 + dev) }

// newPrimary makes the primary context of a device, whose default stream has the same number after Reset.
func (d *Driver) newPrimary(dev *device) *context {
	return d.newContext(dev, ContextOf(dev.ordinal), uint64(1+dev.ordinal))
}

func (d *Driver) newContext(dev *device, h abi.Context, legacy uint64) *context {
	c := &context{handle: h, dev: dev, threads: map[int]*stream{}, peers: map[*device]bool{}}
	c.legacy = d.newStream(c, legacy, false)
	return c
}

// CtxCreate makes a context besides the primary one, as other code in the process may. It lives until Reset. Unlike the driver's function it does not
// make the context current.
func (d *Driver) CtxCreate(dev int) (abi.Context, abi.Result) {
	at, r := d.beginOn("cuCtxCreate", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	h := abi.Context(0x7_0000_0000 + d.number()<<4)
	d.others[h] = d.newContext(at, h, d.number())
	return h, abi.Success
}

// context returns a live context by its handle, or nil.
func (d *Driver) context(ctx abi.Context) *context {
	if i := uint64(ctx) - 0x1000; i < uint64(len(d.contexts)) {
		return d.contexts[i]
	}
	return d.others[ctx]
}

// DevicePrimaryCtxRetain returns the context of a device, which lives until it is released as often as it was retained.
func (d *Driver) DevicePrimaryCtxRetain(dev int) (abi.Context, abi.Result) {
	at, r := d.beginOn("cuDevicePrimaryCtxRetain", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	if d.contexts[dev] == nil {
		d.contexts[dev] = d.newPrimary(at)
	}
	d.retained[dev]++
	return ContextOf(dev), abi.Success
}

// DevicePrimaryCtxRelease undoes a retain. The last release waits for the device and destroys all objects of the context.
func (d *Driver) DevicePrimaryCtxRelease(dev int) abi.Result {
	_, r := d.beginOn("cuDevicePrimaryCtxRelease", dev)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	c := d.contexts[dev]
	if c == nil {
		d.badRelease("cuDevicePrimaryCtxRelease", uint64(dev))
		return abi.InvalidContext
	}
	d.retained[dev]--
	if d.retained[dev] > 0 {
		return abi.Success
	}
	d.drainContext(c)
	d.destroyAll(c)
	d.contexts[dev] = nil
	return abi.Success
}

// destroyAll releases all objects of a context.
func (d *Driver) destroyAll(c *context) {
	for h, s := range d.streams {
		if s.ctx == c {
			delete(d.streams, h)
			d.died(KindStream, uint64(h))
		}
	}
	for h, e := range d.events {
		if e.ctx == c {
			delete(d.events, h)
			d.died(KindEvent, uint64(h))
		}
	}
	for h, m := range d.modules {
		if m.ctx == c {
			d.dropModule(h, m)
		}
	}
	for h, t := range d.mipmaps {
		if t.ctx == c {
			d.dropMipmap(h, t)
		}
	}
	for h, a := range d.arrays {
		if a.ctx == c {
			d.dropArray(h, a)
		}
	}
	for _, s := range d.spansOf(c) {
		d.freeSpan(s)
	}
}

// CtxGetCurrent returns the context of the calling thread, 0 if there is none.
func (d *Driver) CtxGetCurrent() (abi.Context, abi.Result) {
	r := d.begin("cuCtxGetCurrent")
	defer d.mu.Unlock()
	return d.current[thread()], r
}

// CtxSetCurrent sets the context of the calling thread; 0 means none.
func (d *Driver) CtxSetCurrent(ctx abi.Context) abi.Result {
	r := d.begin("cuCtxSetCurrent")
	defer d.mu.Unlock()
	switch {
	case r != abi.Success:
		return r
	case ctx == 0:
		delete(d.current, thread())
	case d.context(ctx) == nil:
		return abi.InvalidContext
	default:
		d.current[thread()] = ctx
	}
	return abi.Success
}

// CtxGetDevice returns the device of the calling thread's context.
func (d *Driver) CtxGetDevice() (int, abi.Result) {
	r := d.begin("cuCtxGetDevice")
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	c := d.context(d.current[thread()])
	if c == nil {
		return 0, abi.InvalidContext
	}
	return c.dev.ordinal, abi.Success
}

// CtxSynchronize runs all work that is queued in a context. While a stream of it is capturing it fails and invalidates the capture.
func (d *Driver) CtxSynchronize(ctx abi.Context) abi.Result {
	c, r := d.beginIn("cuCtxSynchronize", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	if d.spoilCaptures(c) {
		return abi.StreamCaptureUnsupported
	}
	d.drainContext(c)
	d.trimPools()
	return c.fault
}

// CtxEnablePeerAccess lets kernels of a context access memory of another one.
func (d *Driver) CtxEnablePeerAccess(ctx, peer abi.Context) abi.Result {
	c, r := d.beginIn("cuCtxEnablePeerAccess", ctx)
	defer d.mu.Unlock()
	p := d.context(peer)
	switch {
	case r != abi.Success:
		return r
	case p == nil:
		return abi.InvalidContext
	case !d.peers(c.dev.ordinal, p.dev.ordinal):
		return abi.PeerAccessUnsupported
	case c.peers[p.dev]:
		return abi.PeerAccessAlreadyEnabled
	}
	c.peers[p.dev] = true
	return abi.Success
}

// CtxDisablePeerAccess undoes CtxEnablePeerAccess.
func (d *Driver) CtxDisablePeerAccess(ctx, peer abi.Context) abi.Result {
	c, r := d.beginIn("cuCtxDisablePeerAccess", ctx)
	defer d.mu.Unlock()
	p := d.context(peer)
	switch {
	case r != abi.Success:
		return r
	case p == nil:
		return abi.InvalidContext
	case !c.peers[p.dev]:
		return abi.PeerAccessNotEnabled
	}
	delete(c.peers, p.dev)
	return abi.Success
}
