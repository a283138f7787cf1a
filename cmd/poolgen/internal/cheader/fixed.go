package cheader

import (
	_ "embed"
	"strings"
	"text/template"

	"github.com/poolgen/poolgen/spec"
)

// fixedText is what all views of items share. It does not depend on a pool.
//
//go:embed fixed.h
var fixedText string

// fixedView writes the struct through which kernels allocate and free items, which package cuda fills, and the functions that do.
func fixedView(out *strings.Builder, names names, plan *spec.Plan, p *spec.Pool, element string) {
	out.WriteString(fixedText)
	err := fixedFunctions.Execute(out, map[string]any{
		"Pool": p.Name, "View": names.view(plan, p), "Alloc": names.alloc(plan, p), "Free": names.free(plan, p), "Index": names.index(plan, p), "Element": element,
	})
	if err != nil {
		panic(err) // the template is a constant, and writes to a strings.Builder do not fail
	}
}

var fixedFunctions = template.Must(template.New("fixed").Parse(`
// {{.View}} is a view of pool {{.Pool}}. Kernels receive its address, which Addr of {{.Pool}}View returns, and pass it to kernels that they launch.
typedef struct {{.View}} {
	poolgen_fixed_view fixed;
} {{.View}};

#ifdef __CUDACC__
// {{.Alloc}} returns an item, whose contents are undefined, or NULL if no item is free. Any number of threads, of any grid of the device, may call this
// and the other functions at once.
static __device__ inline {{.Element}} *{{.Alloc}}({{.View}} *view)
{
	return ({{.Element}} *)poolgen_fixed_alloc_together(&view->fixed, poolgen_fixed_together(&view->fixed));
}

// {{.Free}} frees an item. It returns false, and changes nothing but a count, if that is not a live item of the view.
static __device__ inline bool {{.Free}}({{.View}} *view, {{.Element}} *item)
{
	return poolgen_fixed_free_together(&view->fixed, item, poolgen_fixed_together(&view->fixed));
}

// {{.Index}} returns the index of an item, from 0 on, or POOLGEN_NONE if that is not an item of the view.
static __device__ inline uint32_t {{.Index}}(const {{.View}} *view, const {{.Element}} *item)
{
	return poolgen_fixed_index(&view->fixed, item);
}
#endif
`))
