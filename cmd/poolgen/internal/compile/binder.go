package compile

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/facade"
	"github.com/poolgen/poolgen/spec"
)

// binder is what finds the source of a pool whose memory the driver supplies.
func (p *pool) binder() jen.Code {
	var fields []jen.Code
	set := func(when bool, field string, value jen.Code) {
		if when {
			fields = append(fields, jen.Id(field).Op(":").Add(value))
		}
	}
	set(true, "Name", jen.Lit(string(p.Allocator)))
	set(len(p.Fallback) > 0, "Fallback", names(p.Fallback))
	set(true, "Device", p.device())
	set(len(p.Peers) > 0, "Peers", ints(p.Peers))
	for _, f := range p.PinnedFlags {
		set(true, map[string]string{"portable": "Portable", "mapped": "Mapped", "write_combined": "WriteCombined"}[f], jen.True())
	}
	set(p.DriverPool != nil, "Pool", p.driverPool())
	set(p.Shareable, "Shareable", jen.True())
	return jen.Id("cuda.Allocator").Values(fields...)
}

// device is the number of the pool's device, if the file says one.
func (p *pool) device() jen.Code {
	if p.Device.Kind == spec.NumberedDevice {
		return jen.Lit(p.Device.Index)
	}
	return jen.Id("cuda.AnyDevice")
}

// driverPool are the settings of the driver's memory pool.
func (p *pool) driverPool() jen.Code {
	d := p.DriverPool
	if d == nil {
		return nil
	}
	var fields []jen.Code
	set := func(when bool, field string, value jen.Code) {
		if when {
			fields = append(fields, jen.Id(field).Op(":").Add(value))
		}
	}
	custom := d.Source == "custom"
	set(custom, "Custom", jen.True())
	set(d.Type == "managed", "Managed", jen.True())
	set(custom, "Location", jen.Lit(d.Location))
	set(d.Location == "host_numa", "NUMA", jen.Lit(d.NUMA))
	set(d.MaxSize != spec.NoLimit, "MaxSize", facade.Size(d.MaxSize))
	set(d.Handles != "none", "Handles", jen.Lit(d.Handles))
	written := driverSettings(d)
	set(len(written) > 0, "Settings", jen.Index().Id("cuda.MemPoolSetting").Values(written...))
	set(d.SetCurrent, "SetCurrent", jen.True())
	return jen.Op("&").Id("cuda.PoolSettings").Values(fields...)
}

// driverSettings are the attributes of the driver's pool that the file writes. Others stay as they are.
func driverSettings(d *spec.DriverPool) (written []jen.Code) {
	add := func(attribute string, value jen.Code) {
		written = append(written, jen.Values(jen.Id("Attribute").Op(":").Id("cuda."+attribute), jen.Id("Value").Op(":").Add(value)))
	}
	if d.ReleaseThreshold.Written {
		add("ReleaseThreshold", facade.Size(d.ReleaseThreshold.Value))
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
			add(way.attribute, jen.Lit(map[bool]int{false: 0, true: 1}[way.Value]))
		}
	}
	return written
}

func names(list []spec.Allocator) jen.Code {
	var values []jen.Code
	for _, a := range list {
		values = append(values, jen.Lit(string(a)))
	}
	return jen.Index().String().Values(values...)
}

func ints(list []int) jen.Code {
	var values []jen.Code
	for _, n := range list {
		values = append(values, jen.Lit(n))
	}
	return jen.Index().Int().Values(values...)
}
