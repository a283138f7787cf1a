package facade

import (
	"github.com/dave/jennifer/jen"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// copies are the package functions that move data to and from blocks on a device. They are not needed where Go code can address a block.
func (p *pool) copies() []function {
	stream := param{"s", jen.Qual(lower.CUDAPath, "Stream")}
	failure := []jen.Code{jen.Error()}
	var list []function
	for _, c := range p.transfers() {
		list = append(list, function{c.name, append(c.params, stream), failure, c.doc})
	}
	return append(list, function{"Zero", []param{{"block", p.block()}, stream}, failure, zeroDoc})
}

const zeroDoc = "clears a block in the order of the stream."

// transfer is one way to copy: its method, parameters before the stream, what it does, and the block's method that does it.
type transfer struct {
	name   string
	params []param
	doc    string
	block  string // parameter whose method does it
	method string
	other  string // parameter that is passed to the method
}

func (p *pool) transfers() []transfer {
	host, what, bound := jen.Index().Add(p.item()), "src", "More items than the block has room for are refused with poolrt.ErrBadSize."
	if p.Spec.ItemForm() {
		host, what, bound = jen.Op("*").Add(p.item()), "the item", "A nil pointer is refused with poolrt.ErrBadSize."
	}
	stays := "\nIf the Go memory is page-locked, such as that of a pinned pool, it returns at once, and that memory must not be touched\n" +
		"until the stream has done the copy. Otherwise it waits. " + bound + "\nA zero block is refused with poolrt.ErrForeign."
	return []transfer{
		{"CopyToDevice", []param{{"dst", p.block()}, {"src", host}},
			"copies " + what + " to the start of a block, in the order of the stream." + stays, "dst", "CopyFrom", "src"},
		{"CopyToHost", []param{{"dst", host}, {"src", p.block()}},
			"fills dst from the start of a block, in the order of the stream." + stays, "src", "CopyTo", "dst"},
		{"CopyPeer", []param{{"dst", p.block()}, {"src", p.block()}},
			"copies all of src to the start of dst, in the order of the stream. They may be blocks of two pools on\n" +
				"different devices, and the stream be of either. More items than dst has room for are refused with poolrt.ErrBadSize.", "dst", "CopyPeer", "src"},
	}
}

// deviceMethods are the methods of pools on a device.
func (p *pool) deviceMethods() []method {
	if !p.OnDevice() {
		return nil
	}
	stream := jen.Id("s").Qual(lower.CUDAPath, "Stream")
	failure := []jen.Code{jen.Error()}
	var list []method
	for _, c := range p.transfers() {
		m := method{name: c.name, doc: c.name + " " + c.doc, results: failure, body: func(*pool) []jen.Code {
			return append(p.unlessAsleep("copy"), jen.Return(jen.Id(c.block).Dot(c.method).Call(jen.Id(c.other), jen.Id("s"))))
		}}
		for _, a := range c.params {
			m.params = append(m.params, jen.Id(a.name).Add(a.typ))
		}
		m.params = append(m.params, stream)
		list = append(list, m)
	}
	return append(list, method{name: "Zero", doc: "Zero " + zeroDoc, params: []jen.Code{jen.Id("block").Add(p.block()), stream}, results: failure,
		body: func(*pool) []jen.Code {
			return append(p.unlessAsleep("zero"), jen.Return(jen.Id("block").Dot("Zero").Call(jen.Id("s"))))
		}})
}

// driverMethods are the methods that act on the driver's pool from which the pool allocates. Package cuda has functions of the same names.
func (p *pool) driverMethods() []method {
	if !p.Spec.FromDriverPool() {
		return nil
	}
	attribute := jen.Id("a").Qual(lower.CUDAPath, "MemPoolAttribute")
	list := []method{
		{name: "DriverStats", doc: "DriverStats returns what the driver's memory pool behind the pool has reserved and in use, now and at most, in bytes.\n" +
			"It, and the methods below, bind an unused pool to its device first." + p.unlessAll(spec.Allocator.FromDriverPool, "has no such pool"),
			results: []jen.Code{jen.Qual(lower.CUDAPath, "MemPoolStats"), jen.Error()}},
		{name: "DriverAttr", doc: "DriverAttr returns an attribute of the driver's memory pool: bytes, or 0 and 1 for no and yes.",
			params: []jen.Code{attribute}, results: []jen.Code{jen.Uint64(), jen.Error()}, call: []jen.Code{jen.Id("a")}},
		{name: "SetDriverAttr", doc: "SetDriverAttr changes an attribute of the driver's memory pool. What is reserved and in use now can only be read, and\n" +
			"the peaks can only be set to 0, which restarts them." + p.sharedDoc(),
			params: []jen.Code{attribute, jen.Id("value").Uint64()}, results: []jen.Code{jen.Error()}, call: []jen.Code{jen.Id("a"), jen.Id("value")}},
		{name: "DriverHandle", doc: "DriverHandle returns the handle (CUmemoryPool) of the driver's memory pool, for other bindings. It is good until Close.",
			results: []jen.Code{jen.Uintptr(), jen.Error()}},
		{name: "ResetPeaks", doc: "ResetPeaks sets PeakBytes and PeakReserved of Stats to what is live and reserved now, and restarts the peaks of the\ndriver's memory pool." + p.sharedDoc(),
			results: []jen.Code{jen.Error()}},
		{name: "Trim", doc: "Trim returns empty chunks as long as the pool holds at least keep bytes afterwards, and then has the driver's\n" +
			"memory pool give the system what nobody uses until it reserves no more than keep bytes in all. It returns the bytes of the\n" +
			"chunks. Chunks with a live block stay." + p.sharedDoc(),
			params: []jen.Code{jen.Id("keep").Int64()}, results: []jen.Code{jen.Id("released").Int64(), jen.Err().Error()}, call: []jen.Code{jen.Id("keep")}},
	}
	for i, m := range list {
		list[i].body = func(*pool) []jen.Code {
			args := append([]jen.Code{jen.Id("p").Dot("ready").Call()}, m.call...)
			return []jen.Code{jen.Return(jen.Qual(lower.CUDAPath, m.name).Call(args...))}
		}
	}
	return list
}

// sharedDoc warns where the driver's pool is not the pool's own.
func (p *pool) sharedDoc() string {
	which := "current"
	if len(p.Spec.Peers) > 0 || p.Spec.AllPeers || p.Spec.DriverPool != nil && p.Spec.DriverPool.Source == "default" {
		which = "default"
	}
	shared := " driver's pool is the device's " + which + " one, which the whole process shares: this affects all its users."
	switch own := p.Spec.DriverPool != nil && p.Spec.DriverPool.Source == "custom"; {
	case !own:
		return "\nThe" + shared
	case len(p.Spec.Others) > 0 && p.Spec.May(spec.DeviceAsync):
		return "\nWith allocator device_async, the" + shared
	}
	return ""
}
