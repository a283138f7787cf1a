package simulator

import "github.com/poolgen/poolgen/cuda/internal/abi"

// Global registers a variable of a size in bytes under a name, for all modules. Each module has its own, which is zero at first.
func (d *Driver) Global(name string, bytes uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.globals[name] = bytes
}

// ModuleGetGlobal returns the address and the size of a registered variable.
func (d *Driver) ModuleGetGlobal(ctx abi.Context, h abi.Module, name string) (abi.Ptr, uint64, abi.Result) {
	c, r := d.beginIn("cuModuleGetGlobal", ctx)
	defer d.mu.Unlock()
	if r != abi.Success {
		return 0, 0, r
	}
	m := d.modules[h]
	if m == nil || m.ctx != c {
		return 0, 0, abi.InvalidHandle
	}
	g := m.globals[name]
	if bytes := d.globals[name]; g == nil && bytes > 0 {
		g = &span{base: d.assign(bytes, memoryUnit), size: bytes, kind: KindModule, store: d.newStore(bytes), dev: c.dev}
		g.store.fill = 0
		d.place(g)
		m.globals[name] = g
	}
	if g == nil {
		return 0, 0, abi.NotFound
	}
	return g.base, g.size, abi.Success
}
