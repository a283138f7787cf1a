package facade

import (
	"fmt"
	"go/format"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/cmd/poolgen/internal/lower"
	"github.com/poolgen/poolgen/spec"
)

// Exports renders the files with what programs in other languages call: functions of Go, functions of C that call these, and their header. There are none
// if no pool has the key exports.
//
// C is in between because Go must not see what callers pass as pointers: a handle of 1 is a stream, and to Go's garbage collector a fault. It also has the
// last error of each thread, as Go has nothing that belongs to one.
func Exports(header string, pkg *lower.Package) (map[string][]byte, error) {
	var pools []*pool
	for _, of := range pkg.Pools {
		if len(of.Spec.Exports) > 0 {
			pools = append(pools, &pool{Pool: of, pkg: pkg})
		}
	}
	if len(pools) == 0 {
		return nil, nil
	}
	driver := slices.ContainsFunc(pools, func(p *pool) bool { return p.Spec.FromDriverPool() })
	goText, cText, hText := exportsGo(driver), exportsC, exportsHeader(driver)
	for _, p := range pools {
		goText += p.exportItem()
		hText += p.exportComment()
		for _, e := range p.exports() {
			goText += e.goText()
			cText += "\n" + e.declaration() + " {\n" + e.call() + "}\n"
			hText += "\n" + cComment(e.doc) + e.declaration() + ";\n"
		}
	}
	hText += "\n#ifdef __cplusplus\n}\n#endif\n"
	goText = header + "\n\npackage " + pkg.Plan.Package + "\n\n" + cgoPreamble + exportImports(goText, pools) + goText
	text, err := format.Source([]byte(goText))
	if err != nil {
		return nil, fmt.Errorf("%w in\n%s", err, goText)
	}
	return map[string][]byte{lower.ExportsGo: text, lower.ExportsC: []byte(header + "\n" + cText), lower.ExportsHeader: []byte(header + "\n" + hText)}, nil
}

// exportImports declares the packages that a text uses.
func exportImports(text string, pools []*pool) string {
	lines := []string{`"unsafe"`, "", `"` + lower.ImplPath + `"`, `poolrt "` + lower.RuntimePath + `"`}
	if strings.Contains(text, "cuda.") {
		lines = append(lines, `"`+lower.CUDAPath+`"`)
	}
	for _, p := range pools {
		if t := p.exportItemType(); t.Qualifier != "" {
			lines = append(lines, t.Qualifier+` "`+p.Spec.Item.Import+`"`)
		}
	}
	slices.Sort(lines[2:])
	return "import (\n" + strings.Join(slices.Compact(lines), "\n") + "\n)\n"
}

// cComment writes a text as a comment of lines.
func cComment(text string) string {
	return "// " + strings.ReplaceAll(text, "\n", "\n// ") + "\n"
}

// exportItem declares what the functions of a pool use: another name for the item, as its own may be that of a parameter, and the pool of a device.
func (p *pool) exportItem() string {
	text := fmt.Sprintf("\ntype %[1]s = %[2]s\n\nconst %[3]s = unsafe.Sizeof(*(*%[1]s)(nil))\n", p.exported("Item"), p.exportItemType(), p.exported("Size"))
	if !p.Spec.AllocsOnStreams() {
		return text
	}
	return text + fmt.Sprintf(`
// %[1]s returns the pool of a device.
func %[1]s(device int32) (*%[2]s, error) {
	if _, err := cuda.ExportedStream(device, %[3]d, 0); err != nil {
		return nil, err
	}
	return %[4]s, nil
}
`, p.exported(""), p.Names.Pool, p.exportDevice(), choose(p.Can.EachDevice, p.exportPool(), "&"+p.Names.Default))
}

// exportItemType is the type of the item in the file with exports.
func (p *pool) exportItemType() lower.Type {
	t := p.Item.API
	if t.Qualifier == "unsafe" || t.Qualifier == "C" {
		t.Qualifier = lower.Aside(t.Qualifier)
	}
	return t
}

// exported returns a name of Go in the file with exports.
func (p *pool) exported(word string) string { return p.Names.Prefix + "Export" + word }

// exportDevice is the device that callers have to name; -1: any.
func (p *pool) exportDevice() int {
	if p.Can.EachDevice {
		return -1
	}
	return p.Spec.Device.Index
}

// exportPool is the pool that a function acts on, in Go.
func (p *pool) exportPool() string {
	return p.Names.Default + choose(p.Can.EachDevice, ".On(int(device))", "")
}

// exportComment separates the functions of a pool from others.
func (p *pool) exportComment() string {
	text := fmt.Sprintf("Pool %s: memory of allocator %s, %s.", p.Spec.Name, p.memoryText(),
		choose(p.Spec.ItemForm(), "blocks of one size", "blocks of any size"))
	if p.Spec.Limit != spec.NoLimit {
		text += " The limit is " + spec.FormatSize(p.Spec.Limit) + choose(p.Can.EachDevice, " for each device.", ".")
	}
	if p.Spec.Doc != "" {
		text += "\n" + escape(p.Spec.Doc)
	}
	return "\n" + cComment(strings.ReplaceAll(text, "\\\n", "\\ \n"))
}
