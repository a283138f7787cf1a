package lower

import (
	"slices"
	"strconv"

	"github.com/poolgen/poolgen/spec"
)

// pinnedFlags are the fields of cuda.Allocator for the words of the pool file.
var pinnedFlags = map[string]string{"portable": "Portable", "mapped": "Mapped", "write_combined": "WriteCombined"}

// binder returns what finds the memory of a pool on its first use: that of the driver, or of one of several allocators.
func (p *Pool) binder() string {
	s := p.Spec
	var l Literal
	if !s.NeedsDriver() {
		for _, a := range s.Allocators() {
			l.set(true, quoted(a), p.source(a))
		}
		return l.inline("poolimpl.Sources")
	}
	l.set(true, "Name", quoted(s.Allocator))
	l.set(true, "Kinds", slice("cuda.Kind", memoryKinds(s), func(name string) string { return name }))
	l.set(len(s.Fallback) > 0, "Fallback", slice("string", s.Fallback, quoted))
	l.set(true, "Device", device(s.Device))
	l.set(len(s.Peers) > 0, "Peers", slice("int", s.Peers, strconv.Itoa))
	l.flag("AllPeers", s.AllPeers)
	for _, f := range s.PinnedFlags {
		l.flag(pinnedFlags[f], true)
	}
	l.set(s.DriverPool != nil, "Pool", driverPool(s.DriverPool))
	l.flag("Shareable", s.Shareable)
	l.flag("Registered", s.Registered)
	l.set(s.May(spec.Custom), "Custom", p.source(spec.Custom))
	return l.inline("cuda.Allocator")
}

// kindOfMemory are the types of package cuda for each kind of memory of the driver.
var kindOfMemory = map[spec.Allocator]string{
	spec.Pinned: "cuda.PinnedMemory{}", spec.Managed: "cuda.ManagedMemory{}", spec.DeviceMemory: "cuda.DeviceMemory{}", spec.DeviceAsync: "cuda.AsyncMemory{}",
	spec.DevicePool: "cuda.PoolMemory{}", spec.DeviceVirtual: "cuda.VirtualMemory{}", spec.TextureTile: "cuda.TileMemory{}",
}

// memoryKinds lists the kinds of memory of the driver that a pool may use.
func memoryKinds(s *spec.Pool) (list []string) {
	for _, a := range slices.Concat(s.Allocators(), s.Fallback) {
		if m := kindOfMemory[a]; m != "" && !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

// device returns the number of the pool's device, if the file sets one.
func device(d spec.Device) string {
	if d.Kind == spec.NumberedDevice {
		return strconv.Itoa(d.Index)
	}
	return "cuda.AnyDevice"
}

// driverPool returns the settings of the driver's memory pool.
func driverPool(d *spec.DriverPool) string {
	if d == nil {
		return ""
	}
	var l Literal
	custom, written := d.Source == "custom", driverSettings(d)
	l.flag("Custom", custom)
	l.flag("Managed", d.Type == "managed")
	l.set(custom, "Location", quoted(d.Location))
	l.set(d.Location == "host_numa", "NUMA", strconv.Itoa(d.NUMA))
	l.set(d.MaxSize != spec.NoLimit, "MaxSize", Bytes(d.MaxSize))
	l.set(d.Handles != "none", "Handles", quoted(d.Handles))
	l.set(len(written) > 0, "Settings", slice("cuda.MemPoolSetting", written, func(l Literal) string { return l.inline("") }))
	l.flag("SetCurrent", d.SetCurrent)
	return l.inline("&cuda.PoolSettings")
}

// driverSettings are the attributes of the driver's pool that the file sets. Others are left as they are.
func driverSettings(d *spec.DriverPool) (written []Literal) {
	add := func(attribute, value string) {
		written = append(written, Literal{{"Attribute", "cuda." + attribute}, {"Value", value}})
	}
	switch kept := d.ReleaseThreshold; {
	case kept.Written && kept.Value == spec.NoLimit:
		add("ReleaseThreshold", "1<<64 - 1") // the driver's value for no bound
	case kept.Written:
		add("ReleaseThreshold", Bytes(kept.Value))
	}
	for _, way := range []struct {
		attribute string
		spec.Setting[bool]
	}{
		{"ReuseFollowEventDependencies", d.ReuseFollow},
		{"ReuseAllowOpportunistic", d.ReuseOpportune},
		{"ReuseAllowInternalDependencies", d.ReuseInternal},
	} {
		if way.Written {
			add(way.attribute, map[bool]string{false: "0", true: "1"}[way.Value])
		}
	}
	return written
}
