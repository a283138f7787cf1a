package poolimpl

import (
	"fmt"
	"slices"
	"strings"

	poolrt "github.com/poolgen/poolgen/runtime"
	"github.com/poolgen/poolgen/runtime/internal/budget"
	"github.com/poolgen/poolgen/runtime/internal/registry"
)

// begin puts in force what the pool file says, for a pool that has not been used.
func (e *Engine) begin(c *Config) {
	e.config = c
	e.life.allocator = c.Allocator
	e.limits.limit, e.limits.bound, e.limits.soft = c.Limit, c.Limit, c.SoftLimit
	e.memory.chunk, e.life.prime, e.life.trim = c.ChunkSize, c.Prime, c.Trim
	e.enter(registry.Settings{Budget: (*budget.Budget)(c.Budget), Guarantee: c.Guarantee, Priority: UsualPriority + c.Priority})
}

// settings returns what options may change, as it is in force.
func (e *Engine) settings() registry.Settings {
	return registry.Settings{
		Name: e.name.given, Allocator: e.life.allocator, Limit: e.limits.limit, Chunk: e.memory.chunk, Prime: e.life.prime, Trim: (*poolrt.TrimPolicy)(e.life.trim),
		Device: e.life.device, Meter: e.memory.meter.Meter, Budget: e.budget.Budget(), Guarantee: e.guarantee(), Priority: e.priority,
	}
}

// with returns the settings after the options have changed them.
func with(s registry.Settings, options []poolrt.Option) registry.Settings {
	for _, o := range options {
		if o != nil {
			o(&s)
		}
	}
	return s
}

// apply puts settings in force. The pool has no chunks.
func (e *Engine) apply(s registry.Settings) {
	if s.Name != e.name.given {
		e.name.take(s.Name, e, "")
	}
	e.life.allocator = s.Allocator
	e.limits.limit, e.limits.bound, e.life.device, e.memory.meter = s.Limit, s.Limit, s.Device, meter{s.Meter}
	e.memory.chunk, e.life.prime, e.life.trim = s.Chunk, s.Prime, policyOf(s)
	e.memory.measure()
	if s.Budget != e.budget.Budget() || s.Guarantee != e.guarantee() || s.Priority != e.priority {
		e.enter(s)
	}
}

// policyOf returns the trim policy of settings.
func policyOf(s registry.Settings) *TrimPolicy {
	p, _ := s.Trim.(*poolrt.TrimPolicy)
	return (*TrimPolicy)(p)
}

// refusal is why a setting is refused.
type refusal struct {
	err    error
	detail string
}

// refuseAs returns a refusal.
func refuseAs(err error, format string, args ...any) *refusal {
	return &refusal{err, fmt.Sprintf(format, args...)}
}

// of returns the refusal as the error of an operation.
func (r *refusal) of(e *Engine, op string) *poolrt.PoolError {
	return detailed(e.newError(op, r.err), "%s", r.detail)
}

// refuse returns what is wrong with settings for a pool that has not been used; nil if nothing is.
func (e *Engine) refuse(s registry.Settings) *refusal {
	if s.Device != NoDevice && e.config.Binder == nil {
		return refuseAs(poolrt.ErrUnsupported, "allocator %s is on no device", s.Allocator)
	}
	for _, setting := range []struct {
		option string
		wrong  *refusal
	}{
		{"WithAllocator", e.config.refuseAllocator(s.Allocator, e.life.allocator)},
		{"WithLimit", e.config.refuseLimit(s.Limit)},
		{"WithBudget", e.refuseBudget(e.config, s)},
		{"WithChunkSize", e.config.refuseChunk(e.core.Core, s.Chunk, s.Budget.Limit())},
		{"WithPrime", e.config.refusePrime(s.Prime)},
		{"WithTrim", e.config.refuseTrim(policyOf(s))},
	} {
		if setting.wrong != nil {
			setting.wrong.detail = setting.option + ": " + setting.wrong.detail
			return setting.wrong
		}
	}
	return nil
}

// refuseAllocator refuses allocators that the pool file does not list. An imported pool has that of the other process.
func (c *Config) refuseAllocator(name, inForce string) *refusal {
	switch list := c.allocators(); {
	case name == inForce:
		return nil
	case c.Imported:
		return refuseAs(poolrt.ErrUnsupported, "%q: the memory belongs to another process, which has chosen its allocator", name)
	case !slices.Contains(list, name):
		return refuseAs(poolrt.ErrUnsupported, "%q: the pool file has allocator %s", name, strings.Join(list, ", "))
	}
	return nil
}

// refuseLimit refuses limits that the pool file does not allow.
func (c *Config) refuseLimit(n int64) *refusal {
	switch most := c.maxLimit(); {
	case n < 0:
		return refuseAs(poolrt.ErrBadSize, "%d: a limit is not negative", n)
	case n > most && c.MaxLimit <= c.Limit:
		return refuseAs(poolrt.ErrBadSize, "%d: the pool file has limit %d, and no max_limit above it", n, most)
	case n > most:
		return refuseAs(poolrt.ErrBadSize, "%d: the pool file has max_limit %d", n, most)
	}
	return nil
}

// refuseBudget refuses places in a budget that cannot be.
func (m *membership) refuseBudget(c *Config, s registry.Settings) *refusal {
	switch most := min(c.maxLimit(), s.Budget.Limit()); {
	case s.Budget == m.budget.Budget() && s.Guarantee == m.guarantee() && s.Priority == m.priority:
		return nil
	case c.numbers() || c.Imported:
		return refuseAs(poolrt.ErrUnsupported, "%s", c.noChunks())
	case s.Priority < 0 || s.Priority > budget.MostPriority:
		return refuseAs(poolrt.ErrBadSize, "%d: a priority is 0 to %d", s.Priority, budget.MostPriority)
	case s.Guarantee < 0:
		return refuseAs(poolrt.ErrBadSize, "%d: a guarantee is not negative", s.Guarantee)
	case s.Guarantee > 0 && s.Budget == nil:
		return refuseAs(poolrt.ErrBadSize, "guarantee %d without a budget that it is a part of", s.Guarantee)
	case s.Guarantee > most:
		return refuseAs(poolrt.ErrBadSize, "guarantee %d is above %d, the largest that the limits of the pool and of the budget allow", s.Guarantee, most)
	}
	return nil
}

// refuseChunk refuses sizes of chunks that the generated code is not made for. Blocks, arenas, bins and slabs fit chunks of Config.ChunkSize, and larger ones.
// shared is the limit of the budget.
func (c *Config) refuseChunk(core Core, n, shared int64) *refusal {
	if n == c.ChunkSize {
		return nil
	}
	if why := c.noChunks(); why != "" {
		return refuseAs(poolrt.ErrUnsupported, "%s", why)
	}
	if n < c.ChunkSize {
		return refuseAs(poolrt.ErrBadSize, "%d is below %d, the chunk_size that the code was generated for", n, c.ChunkSize)
	}
	if most, why := c.mostChunk(core, shared); n > most {
		return refuseAs(poolrt.ErrBadSize, "%d is above %d, %s", n, most, why)
	}
	if slices.Contains(granular, c.Suballocator) && core.Need(uint64(n), 1) == 0 {
		return refuseAs(poolrt.ErrBadSize, "%d is more than suballocator %s can divide", n, c.Suballocator)
	}
	return nil
}

// refusePrime refuses to reserve memory that would not be divided into blocks.
func (c *Config) refusePrime(n int64) *refusal {
	why := c.noChunks()
	switch {
	case n < 0:
		return refuseAs(poolrt.ErrBadSize, "%d: bytes to be reserved are not negative", n)
	case n > 0 && why != "":
		return refuseAs(poolrt.ErrUnsupported, "%s", why)
	}
	return nil
}

// refuseTrim refuses policies that contradict themselves, and those that the core does not serve.
func (c *Config) refuseTrim(p *TrimPolicy) *refusal {
	why := c.noChunks()
	switch {
	case p == nil || p == c.Trim:
		return nil
	case p.Keep < 0 || p.Idle < 0:
		return refuseAs(poolrt.ErrBadSize, "Keep %d and Idle %v: neither is negative", p.Keep, p.Idle)
	case p.Keep > c.maxLimit():
		return refuseAs(poolrt.ErrBadSize, "Keep %d is above the largest limit that may be set, %d", p.Keep, c.maxLimit())
	case p.Growth && p.Idle > 0:
		return refuseAs(poolrt.ErrUnsupported, "Growth does not wait for chunks to have been empty for a while: leave out one of Growth and Idle")
	case why != "":
		return refuseAs(poolrt.ErrUnsupported, "%s", why)
	case c.Magazines:
		return refuseAs(poolrt.ErrUnsupported, "the pool file has a magazine: no chunk is empty as long as a processor keeps a block of it for itself")
	case p.Idle > 0 && !c.reportsEmptied():
		return refuseAs(poolrt.ErrUnsupported, "Idle needs a pool file with trim, and not with when: growth, as frees of this pool do not see that they empty a chunk")
	}
	return nil
}

// mostChunk returns the largest size that chunks may have, and what bounds it.
func (c *Config) mostChunk(core Core, shared int64) (most int64, why string) {
	most, why = largestLimit, "more than processors can address"
	for _, bound := range []struct {
		bytes int64
		why   string
	}{
		{c.maxLimit(), "the largest limit that may be set"},
		{shared, "the limit of its budget"},
		{c.MaxChunk, "the largest chunk that the suballocator manages"},
		{c.mostIndexed(core), "where a chunk has more blocks than 32 bits can number"},
	} {
		if bound.bytes > 0 && bound.bytes < most {
			most, why = bound.bytes, bound.why
		}
	}
	return most, why
}

// mostIndexed returns the size of the largest chunk whose blocks suballocator fixed can number, 0 for other suballocators.
func (c *Config) mostIndexed(core Core) int64 {
	if c.Suballocator != "fixed" {
		return 0
	}
	stride := int64(core.Need(1, 1))
	if stride > poolrt.NoLimit/mostEntries {
		return poolrt.NoLimit
	}
	return mostEntries * stride
}
