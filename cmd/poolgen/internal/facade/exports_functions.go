package facade

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// export is a function that programs in other languages call.
type export struct {
	*pool
	verb   string
	result string            // in C
	params []exportParameter // without those of streams that the pool does not have
	none   string            // what C does without calling Go; "" for nothing
	body   string            // in Go
	doc    string            // without the name
}

// exportParameter is a parameter of such a function, in C and in Go.
type exportParameter struct{ name, c, goType string }

var (
	sizeParameter    = exportParameter{"size", "ssize_t ", "int64"} // signed, as PyTorch has it
	addressParameter = exportParameter{"address", "void *", "uintptr"}
	deviceParameter  = exportParameter{"device", "int ", "int32"}
	streamParameter  = exportParameter{"stream", "void *", "uintptr"}
)

// exports lists the functions of a pool. spec.ExportVerbs has all verbs.
func (p *pool) exports() (list []export) {
	const refused = "\tif err != nil {\n\t\tpoolgenCode(err)\n\t\treturn $NONE\n\t}\n"
	streams := p.Spec.AllocsOnStreams()
	begin, of := "\tp := &"+p.Names.Default+"\n", ""
	if streams {
		begin, of = "\tp, err := "+p.exported("")+"(device)\n"+refused, " on a device"
	}
	add := func(verb, result, doc string, params []exportParameter, none, body string) {
		if !streams {
			params = slices.DeleteFunc(params, func(a exportParameter) bool { return a == deviceParameter || a == streamParameter })
		}
		body = strings.ReplaceAll(body, "$NONE", choose(result == "int64_t ", "-1", "0"))
		if result == "int " {
			body = strings.ReplaceAll(body, "\t\tpoolgenCode(err)\n\t\treturn 0\n", "\t\treturn poolgenCode(err)\n")
		}
		name := spec.CName(p.Spec.Name, verb)
		list = append(list, export{pool: p, verb: verb, result: result, params: params, none: none, body: body, doc: name + " " + strings.ReplaceAll(doc, "$DEVICE", of)})
	}
	add("alloc", "void *", p.exportAllocDoc(), []exportParameter{sizeParameter, deviceParameter, streamParameter},
		"\tif (size == 0) {\n\t\tpoolgen_refused(POOLGEN_OK, \"\");\n\t\treturn NULL;\n\t}\n", p.exportAllocBody(refused))
	add("free", "int ", p.exportFreeDoc(), []exportParameter{addressParameter, sizeParameter, deviceParameter, streamParameter},
		"\tif (address == NULL) {\n\t\treturn POOLGEN_OK;\n\t}\n"+p.exportNegative(), p.exportFreeBody(refused))
	add("stats", "int ", "reads the figures of the pool$DEVICE. It returns a code.", []exportParameter{deviceParameter, {"out", "poolgen_stats *", "*C.poolgen_stats"}}, "",
		begin+"\treturn poolgenFigures(out, p.Stats())\n")
	add("trim", "int64_t ", "returns empty chunks of the pool$DEVICE as long as it holds at least keep bytes afterwards. It returns\nthe bytes that went back, or -1 on an error.",
		[]exportParameter{deviceParameter, {"keep", "int64_t ", "int64"}}, "",
		begin+"\treleased, err := p.Trim(keep)\n"+refused+"\treturn released\n")
	add("set_limit", "int ", "changes the limit of the pool$DEVICE, to at most that of the pool file. It returns a code: POOLGEN_IN_USE\nif live blocks need more.",
		[]exportParameter{deviceParameter, {"bytes", "int64_t ", "int64"}}, "",
		begin+"\treturn poolgenCode(p.SetLimit(bytes))\n")
	add("reset_peaks", "int ", "sets the peaks of the figures$DEVICE to what is live and reserved now. It returns a code.",
		[]exportParameter{deviceParameter}, "", begin+"\treturn poolgenCode(p.ResetPeaks())\n")
	if p.Spec.FromDriverPool() {
		add("driver_stats", "int ", "reads the figures of the driver's pool behind the pool$DEVICE. It returns a code.",
			[]exportParameter{deviceParameter, {"out", "poolgen_driver_stats *", "*C.poolgen_driver_stats"}}, "",
			begin+"\ts, err := p.DriverStats()\n"+refused+"\treturn poolgenDriverFigures(out, s)\n")
	}
	list = append(list, export{pool: p, verb: "error", result: "const char *", params: []exportParameter{{"code", "int *", ""}},
		doc: spec.CName(p.Spec.Name, "error") + " returns the text of the last error of the calling thread, in a call of any pool of the library, and sets\n" +
			"*code to its code, unless code is NULL. The text is valid until the thread's next error."})
	return list
}

// exportNegative is what C does with a free of a negative size, for which Go has no slice.
func (p *pool) exportNegative() string {
	if p.Spec.ItemForm() {
		return ""
	}
	return "\tif (size < 0) {\n\t\tpoolgen_refused(POOLGEN_FOREIGN, \"" + spec.CName(p.Spec.Name, "free") + ": a negative size\");\n\t\treturn POOLGEN_FOREIGN;\n\t}\n"
}

func (p *pool) exportAllocDoc() string {
	text := "returns a block of size bytes, or NULL on an error. For size 0 it returns NULL, and the code is POOLGEN_OK."
	if p.Spec.ItemForm() {
		text += "\nA block has room for one item: more is POOLGEN_TOO_LARGE."
	}
	if p.Spec.AllocsOnStreams() {
		text += "\nIts first use is on the stream (CUstream or cudaStream_t); NULL is the default stream of the device."
	}
	return text
}

func (p *pool) exportFreeDoc() string {
	text := "frees a block, given the size that it was asked for with. It returns a code; a call that is refused has changed nothing.\nAn address of NULL is no error."
	if p.Can.Find {
		text += " With size 0, the pool finds the size."
	}
	if p.Spec.AllocsOnStreams() {
		text += "\nWork that is on the stream already may still be using the block."
	}
	return text
}

// exportAllocBody is the body of the function that allocates.
func (p *pool) exportAllocBody(refused string) string {
	method, args := "Alloc", []string{"n"}
	if p.Spec.ItemForm() {
		args = nil
	}
	if p.Spec.AllocsOnStreams() {
		method, args = "AllocOn", append(args, "s")
	}
	result := "uintptr(b.Addr())"
	if !p.OnDevice() {
		result = "uintptr(unsafe.Pointer(" + choose(p.Spec.ItemForm(), "b", "unsafe.SliceData(b)") + "))"
	}
	return p.exportStream(refused) + p.exportSize("alloc", refused) + fmt.Sprintf("\tb, err := %s.%s(%s)\n%s\treturn %s\n", p.exportPool(), method, strings.Join(args, ", "), refused, result)
}

// exportFreeBody is the body of the function that frees.
func (p *pool) exportFreeBody(refused string) string {
	free := p.exportPool() + ".Free(b)"
	if p.Spec.AllocsOnStreams() {
		free = p.exportPool() + ".FreeOn(b, s)"
	}
	text := p.exportStream(refused)
	if p.Can.Find {
		text += fmt.Sprintf("\tif size == 0 {\n\t\tb, err := %s.Find(%s)\n\t\tif err == nil {\n\t\t\terr = %s\n\t\t}\n\t\treturn poolgenCode(err)\n\t}\n",
			p.exportPool(), choose(p.OnDevice(), "cuda.DevicePtr(address)", "address"), free)
	}
	block := ""
	switch single := p.Spec.ItemForm(); {
	case single && p.OnDevice():
		block = p.Names.One + "(address)"
	case single:
		block = "poolimpl.ExportItem[" + p.exported("Item") + "](address)"
	case p.OnDevice():
		block = fmt.Sprintf("%s{%sPtr(address), n}", p.Names.Many, p.Spec.Name)
	default:
		block = "poolimpl.ExportItems[" + p.exported("Item") + "](address, n)"
	}
	return text + p.exportSize("free", refused) + "\tb := " + block + "\n\treturn poolgenCode(" + free + ")\n"
}

// exportStream finds the stream of a call.
func (p *pool) exportStream(refused string) string {
	if !p.Spec.AllocsOnStreams() {
		return ""
	}
	return fmt.Sprintf("\ts, err := cuda.ExportedStream(device, %d, stream)\n", p.exportDevice()) + refused
}

// exportSize refuses a size that no block has, or counts the items that it stands for.
func (p *pool) exportSize(op, refused string) string {
	if p.Spec.ItemForm() {
		_, then, _ := strings.Cut(refused, "\n")
		return fmt.Sprintf("\tif err := poolimpl.ExportFits(%q, size, %s); err != nil {\n%s", spec.CName(p.Spec.Name, op), p.exported("Size"), then)
	}
	return "\tn := poolimpl.ExportCount(size, " + p.exported("Size") + ")\n"
}

// goName is the name of the function of Go, also in C: no other name of a pool has a capital letter there.
func (e *export) goName() string {
	word := ""
	for part := range strings.SplitSeq(e.verb, "_") {
		word += strings.ToUpper(part[:1]) + part[1:]
	}
	return e.exported(word)
}

// goText declares the function of Go.
func (e *export) goText() string {
	if e.body == "" {
		return ""
	}
	var params []string
	for _, a := range e.params {
		params = append(params, a.name+" "+a.goType)
	}
	result := map[string]string{"void *": "uintptr", "int ": "int32", "int64_t ": "int64"}[e.result]
	return fmt.Sprintf("\n//export %[1]s\nfunc %[1]s(%[2]s) %[3]s {\n%[4]s}\n", e.goName(), strings.Join(params, ", "), result, e.body)
}

// declaration is the head of the function of C.
func (e *export) declaration() string {
	if len(e.params) == 0 {
		return e.result + spec.CName(e.Spec.Name, e.verb) + "(void)"
	}
	var params []string
	for _, a := range e.params {
		params = append(params, a.c+a.name)
	}
	return e.result + spec.CName(e.Spec.Name, e.verb) + "(" + strings.Join(params, ", ") + ")"
}

// call is the body of the function of C.
func (e *export) call() string {
	if e.body == "" {
		return "\treturn poolgen_error_of_thread(code);\n"
	}
	var args []string
	for _, a := range e.params {
		args = append(args, choose(a.c == "void *", "(uintptr_t)", "")+a.name)
	}
	return fmt.Sprintf("%s\treturn %s%s(%s);\n", e.none, choose(e.result == "void *", "(void *)", ""), e.goName(), strings.Join(args, ", "))
}
