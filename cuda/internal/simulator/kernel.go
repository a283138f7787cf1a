package simulator

import (
	"bytes"
	"encoding/binary"
	"slices"

	"github.com/poolgen/poolgen/cuda/internal/abi"
)

// Kernel is a Go function that stands for a kernel.
type Kernel struct {
	// Run does the work of the whole grid at once. It runs when the launch does, and must not call the driver.
	Run func(*Launch)
	// Uses says, at the time of the launch, what memory the launch will use, for the checker of hazards; nil says nothing.
	Uses func(*Launch) []Use
}

// Use is memory that a launch reads or, with Write, writes.
type Use struct {
	Ptr   uint64
	Bytes uint64
	Write bool
}

// Launch is one launch of a kernel.
type Launch struct {
	Grid, Block [3]uint32
	Shared      uint32
	Device      int
	Params      [][]byte // in order, each as the kernel declares it

	driver *Driver
	ctx    *context
	fault  abi.Result
}

// Uint64 returns an integer or a device address of 1, 2, 4 or 8 bytes among the parameters.
func (l *Launch) Uint64(i int) uint64 {
	var wide [8]byte
	copy(wide[:], l.Params[i])
	return binary.LittleEndian.Uint64(wide[:])
}

// Read copies device memory to dst. An access to memory that does not exist, or that the device may not access, makes the
// launch fail with an illegal address, and all later calls in the context fail, too.
func (l *Launch) Read(dst []byte, src uint64) {
	if from := l.pieces(src, uint64(len(dst)), false); from != nil {
		l.note(move(scratch(dst), from))
	}
}

// Write copies src to device memory, as Read.
func (l *Launch) Write(dst uint64, src []byte) {
	if to := l.pieces(dst, uint64(len(src)), true); to != nil {
		l.note(move(to, scratch(src)))
	}
}

// Fail makes the launch fail with a code of the driver, such as 719.
func (l *Launch) Fail(code int) { l.note(abi.Result(code)) }

func (l *Launch) note(r abi.Result) {
	if l.fault == abi.Success {
		l.fault = r
	}
}

func (l *Launch) pieces(p, n uint64, write bool) []piece {
	pieces, r := l.driver.resolve(abi.Ptr(p), n)
	denied := func(p piece) bool { return !l.ctx.reaches(p.span, write) }
	if r != abi.Success || slices.ContainsFunc(pieces, denied) {
		l.note(abi.IllegalAddress)
		return nil
	}
	return pieces
}

// reaches reports whether kernels of a context may access a span: memory of a peer only if that was enabled.
func (c *context) reaches(s *span, write bool) bool {
	if (s.kind == KindMemory || s.kind == KindModule) && s.dev != c.dev {
		return c.peers[s.dev]
	}
	return s.allows(c.dev, write)
}

// scratch returns memory of the program as a piece.
func scratch(b []byte) []piece {
	return []piece{{span: &span{store: &store{size: uint64(len(b)), host: b}}, n: uint64(len(b))}}
}

// kernels are the registered functions, and modules.
type kernels struct {
	registered map[string]Kernel
	modules    map[abi.Module]*module
	functions  map[abi.Function]*function
	globals    map[string]uint64 // registered variables of modules, with their sizes in bytes
}

// module is an image that was loaded; all modules have all registered kernels and variables.
type module struct {
	ctx       *context
	functions map[string]abi.Function
	globals   map[string]*span
}

func newKernels() kernels {
	return kernels{registered: map[string]Kernel{}, modules: map[abi.Module]*module{}, functions: map[abi.Function]*function{}, globals: map[string]uint64{}}
}

// Kernel registers a kernel under a name, for all modules.
func (d *Driver) Kernel(name string, k Kernel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.registered[name] = k
}

// ModuleLoadData loads an image, which may be anything but empty or text that starts with "invalid".
func (d *Driver) ModuleLoadData(ctx abi.Context, image []byte) (abi.Module, string, abi.Result) {
	c, r := d.beginIn("cuModuleLoadDataEx", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, "", r
	}
	if len(image) == 0 || bytes.HasPrefix(image, []byte("invalid")) {
		return 0, "simulator: not an image", abi.InvalidImage
	}
	h := abi.Module(d.handle(KindModule))
	d.modules[h] = &module{ctx: c, functions: map[string]abi.Function{}, globals: map[string]*span{}}
	d.born(KindModule, uint64(h), 0)
	return h, "", abi.Success
}

// ModuleUnload unloads a module and its functions.
func (d *Driver) ModuleUnload(ctx abi.Context, h abi.Module) abi.Result {
	c, r := d.beginIn("cuModuleUnload", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	m := d.modules[h]
	if m == nil || m.ctx != c {
		d.badRelease("cuModuleUnload", uint64(h))
		return abi.InvalidHandle
	}
	d.dropModule(h, m)
	return abi.Success
}

func (d *Driver) dropModule(h abi.Module, m *module) {
	for _, f := range m.functions {
		delete(d.functions, f)
	}
	for _, g := range m.globals {
		d.freeSpan(g)
	}
	delete(d.modules, h)
	d.died(KindModule, uint64(h))
}

// ModuleGetFunction finds a registered kernel.
func (d *Driver) ModuleGetFunction(ctx abi.Context, h abi.Module, name string) (abi.Function, abi.Result) {
	c, r := d.beginIn("cuModuleGetFunction", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, r
	}
	m := d.modules[h]
	if m == nil || m.ctx != c {
		return 0, abi.InvalidHandle
	}
	if _, ok := d.registered[name]; !ok {
		return 0, abi.NotFound
	}
	if m.functions[name] == 0 {
		m.functions[name] = abi.Function(0x6_0000_0000 + d.number()<<4)
		d.functions[m.functions[name]] = newFunction(name, c)
	}
	return m.functions[name], abi.Success
}

// LaunchKernel queues a launch.
func (d *Driver) LaunchKernel(ctx abi.Context, f abi.Function, grid, block [3]uint32, shared uint32, h abi.Stream, params [][]byte) abi.Result {
	s, r := d.beginStream("cuLaunchKernel", ctx, h)
	defer d.mu.Unlock()
	if r != abi.Success {
		return r
	}
	of := d.functions[f]
	if of == nil || of.ctx != s.ctx {
		return abi.InvalidHandle
	}
	if !s.ctx.dev.launches(grid, block) || uint64(shared) > uint64(of.maxShared()) {
		return abi.InvalidValue
	}
	l := Launch{Grid: grid, Block: block, Shared: shared, Device: s.ctx.dev.ordinal, driver: d, ctx: s.ctx}
	for _, p := range params {
		l.Params = append(l.Params, slices.Clone(p))
	}
	k := d.registered[of.name]
	w := work{what: "cuLaunchKernel of " + of.name, uses: d.declared(k, l), run: func() abi.Result {
		now := l // a graph runs it more than once
		k.Run(&now)
		return now.fault
	}}
	return d.submit(s, w)
}

// launches reports whether the shape of a launch is legal.
func (dev *device) launches(grid, block [3]uint32) bool {
	most := func(attribute int32) uint64 { return uint64(dev.attributes[attribute]) }
	for i := range int32(3) {
		if grid[i] == 0 || block[i] == 0 || uint64(grid[i]) > most(maxGrid+i) || uint64(block[i]) > most(maxBlock+i) {
			return false
		}
	}
	return uint64(block[0])*uint64(block[1])*uint64(block[2]) <= most(abi.AttributeMaxThreadsPerBlock)
}

// declared returns the uses that a kernel declares for a launch.
func (d *Driver) declared(k Kernel, l Launch) []use {
	if k.Uses == nil {
		return nil
	}
	var uses []use
	for _, u := range k.Uses(&l) {
		if pieces, r := d.resolve(abi.Ptr(u.Ptr), u.Bytes); r == abi.Success {
			uses = append(uses, use{pieces: pieces, write: u.Write})
		}
	}
	return uses
}
