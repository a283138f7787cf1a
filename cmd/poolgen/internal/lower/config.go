package lower

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/poolgen/poolgen/runtime/poolimpl"
	"github.com/poolgen/poolgen/spec"
)

// config describes a pool for the runtime's engine.
func (pkg *Package) config(p *Pool) Literal {
	s, info, numbers := p.Spec, p.Spec.Suballocator.Info(), p.Numbers()
	bound := s.NeedsDriver() || len(s.Others) > 0
	var l Literal
	l.set(true, "Name", quoted(pkg.Plan.Package+"."+s.Name))
	l.set(true, "Allocator", quoted(s.Allocator))
	l.set(len(s.Others) > 0, "Allocators", slice("string", s.Allocators(), quoted))
	l.set(true, "Suballocator", quoted(s.Suballocator))
	l.set(info.Heap, "Fit", quoted(s.Fit))
	l.set(true, "Ordering", quoted(s.Ordering))
	l.set(p.Can.FreeAsync || s.Ordering == spec.ByDriver, "Order", "poolimpl.OnStreams{}")
	l.set(!numbers && !bound, "Source", p.source(s.Allocator))
	l.set(bound, "Binder", p.binder())
	l.set(s.Item.Kind == spec.ItemUser, "Item", fmt.Sprintf("func() reflect.Type { return reflect.TypeFor[%s]() }", p.Item.Core))
	l.set(true, "ItemSize", p.unit().expr("int64"))
	params := p.params()
	l.set(params != "", "Core", params)
	l.flag("Locked", p.Locked())
	l.set(numbers, "ChunkSize", "poolrt.NoLimit")
	l.set(!numbers, "ChunkSize", p.Chunk.expr("int64"))
	l.set(!p.MaxChunk.isZero(), "MaxChunk", p.MaxChunk.expr("int64"))
	l.set(!numbers, "Granularity", Bytes(s.Granularity))
	l.set(!numbers, "Alignment", Bytes(max(s.Alignment, p.Granule)))
	l.set(true, "Limit", Bytes(s.Limit))
	l.set(s.MaxLimit != s.Limit, "MaxLimit", Bytes(s.MaxLimit))
	l.set(s.SoftLimit > 0, "SoftLimit", Bytes(s.SoftLimit))
	l.set(s.Prime > 0, "Prime", Bytes(s.Prime))
	if p.Budget != nil {
		l.set(true, "Budget", p.Budget.Var)
	}
	l.set(s.Guarantee > 0, "Guarantee", Bytes(s.Guarantee))
	l.set(s.Priority != poolimpl.UsualPriority, "Priority", fmt.Sprintf("%d - poolimpl.UsualPriority", s.Priority))
	l.set(!slices.Equal(s.Reclaim, []spec.ReclaimWay{spec.ReclaimTrim}), "Reclaim", reclaim(s.Reclaim))
	l.flag("Double", s.Growth == spec.GrowthDouble)
	l.flag("Oversize", info.Large)
	l.flag("SingleChunk", p.OneChunk)
	l.flag("OneRange", (p.Can.Index || p.Can.Handle) && !p.OneChunk)
	l.flag("Direct", info.Direct)
	l.flag("Unmetered", s.Stats != spec.StatsCounters)
	l.flag("Uncounted", !p.Can.Free)
	l.flag("Magazines", s.Magazine > 0)
	l.flag("Zeroes", s.Zero != spec.ZeroNever)
	l.flag("ZeroAlways", s.Zero == spec.ZeroAlways && !p.OnDevice())
	l.flag("ZeroDevice", p.ClearsOnDevice())
	l.flag("ZeroChunks", s.Zero == spec.ZeroFirst && slices.ContainsFunc(s.Allocators(), unclean) && !s.ByDriver())
	l.set(len(s.OnExhausted) > 0, "Ladder", slice("poolimpl.Rung", s.OnExhausted, pkg.rung))
	l.set(s.HasRung(spec.RungDrain) || s.HasRung(spec.RungWait), "WaitTimeout", duration(s.WaitTimeout))
	l.set(s.Trim != nil, "Trim", trim(s.Trim))
	l.set(s.Sleep != nil, "Sleep", sleep(s.Sleep))
	l.flag("Registered", s.Registered)
	l.set(s.Capture == spec.CapturePrivate, "Private", decimal(max(s.Alignment, 16)))
	l.set(s.AcrossStreams != "" && s.AcrossStreams != spec.AcrossLimit, "AcrossStreams", across[s.AcrossStreams])
	l.set(true, "Spacing", p.spacing())
	l.set(p.samples(), "Sampling", p.samplingLiteral())
	l.set(!s.ItemForm(), "Rounding", decimal(max(s.Alignment, 16)))
	return l
}

// spacing is the distance of blocks in programs built with the tag pooldebug. Blocks lie side by side if they are numbers, and if memory comes by
// pages or is shared with other processes, because their places cannot change then.
func (p *Pool) spacing() string {
	if p.Numbers() || p.Tiled() || p.OnDevice() && (p.Spec.Paged() || p.Can.Share) {
		return "1"
	}
	return "poolimpl.Spacing"
}

// unit is the size of one item of a request.
func (p *Pool) unit() Size {
	if p.Tiled() {
		return known(spec.TileBytes)
	}
	return p.Item.Size
}

// unclean reports whether new memory of an allocator need not be zero.
func unclean(a spec.Allocator) bool { return a != spec.Host }

// source returns the source of chunks of host memory.
func (p *Pool) source(a spec.Allocator) string {
	if a == spec.Custom {
		return fmt.Sprintf("poolimpl.CustomSource(%s, %s)", p.Spec.AllocFunc, p.Spec.FreeFunc)
	}
	return "poolimpl.Host()"
}

// trim returns the policy by which empty chunks are returned.
func trim(t *spec.Trim) string {
	if t == nil {
		return ""
	}
	var l Literal
	l.set(true, "Keep", Bytes(t.Keep))
	l.set(t.Idle > 0, "Idle", duration(t.Idle))
	l.flag("Growth", t.When == spec.TrimOnGrowth)
	return l.inline("&poolimpl.TrimPolicy")
}

// sleep returns what the pool file says about sleep.
func sleep(s *spec.Sleep) string {
	if s == nil {
		return ""
	}
	var l Literal
	l.flag("Discard", s.Contents == spec.SleepDiscard)
	l.flag("Release", s.Backing == spec.BackingRelease)
	l.flag("Staged", s.Backing == spec.BackingStaged)
	l.set(s.Batch != spec.DefaultBatch, "Batch", Bytes(s.Batch))
	l.set(s.Budget != "", "Budget", budgetVar(s.Budget))
	l.flag("Prime", s.Prime)
	return l.inline("&poolimpl.SleepPolicy")
}

// ways are the constants of the runtime for the words of the key reclaim.
var ways = map[spec.ReclaimWay]string{
	spec.ReclaimTrim: "poolimpl.ReclaimTrim", spec.ReclaimHook: "poolimpl.ReclaimHook", spec.ReclaimSleep: "poolimpl.ReclaimSleep",
}

// reclaim returns what other pools may have the pool do.
func reclaim(list []spec.ReclaimWay) string {
	if len(list) == 0 {
		return "poolimpl.ReclaimNone"
	}
	var names []string
	for _, w := range list {
		names = append(names, ways[w])
	}
	return strings.Join(names, " | ")
}

// rungs are the types of the runtime for each kind of rung.
var rungs = map[spec.RungKind]string{
	spec.RungPoll: "PollRung", spec.RungTrim: "TrimRung", spec.RungDrain: "DrainRung", spec.RungWait: "WaitRung",
	spec.RungPool: "PoolRung", spec.RungDriver: "DriverRung", spec.RungError: "ErrorRung",
}

// across are the constants of the runtime for the values of across_streams.
var across = map[spec.AcrossStreams]string{
	spec.AcrossLimit: "poolimpl.AcrossLimit", spec.AcrossPeak: "poolimpl.AcrossPeak", spec.AcrossGrowth: "poolimpl.AcrossGrowth",
}

// rung is one step of the ladder.
func (pkg *Package) rung(r spec.Rung) string {
	var l Literal
	if r.Kind == spec.RungPool {
		other := "(&" + defaultVar(r.Pool) + ")" // an expression that cannot be mistaken for a name of an imported package
		device := "int"
		if slices.ContainsFunc(pkg.Pools, func(p *Pool) bool { return p.Spec.Name == r.Pool && p.Can.EachDevice }) {
			device, other = "device int", other+".On(device).one"
		}
		l.set(true, "Pool", "func("+device+") *poolimpl.Engine { return "+other+".ready() }")
	}
	return l.inline("poolimpl." + rungs[r.Kind])
}

// duration writes a duration in the largest unit that is whole.
func duration(d time.Duration) string {
	for _, u := range []struct {
		name string
		unit time.Duration
	}{{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second}, {"Millisecond", time.Millisecond}, {"Microsecond", time.Microsecond}} {
		if d%u.unit == 0 && d > 0 {
			return fmt.Sprintf("%d * time.%s", d/u.unit, u.name)
		}
	}
	return decimal(int64(d))
}
