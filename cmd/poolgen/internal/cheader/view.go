package cheader

import (
	"strings"
	"text/template"

	"github.com/poolgen/poolgen/spec"
)

// view writes the struct through which kernels allocate, which package cuda fills, and the function that allocates.
func view(out *strings.Builder, names names, plan *spec.Plan, p *spec.Pool, element string) {
	unit := "items"
	if p.Item.Kind == spec.ItemBytes {
		unit = "bytes"
	}
	err := viewText.Execute(out, map[string]any{
		"Pool": p.Name, "View": names.view(plan, p), "Alloc": names.alloc(plan, p), "Element": element, "Unit": unit, "Granule": p.Granule(),
	})
	if err != nil {
		panic(err) // the template is a constant, and writes to a strings.Builder do not fail
	}
}

var viewText = template.Must(template.New("view").Parse(`
// {{.View}} is a region of pool {{.Pool}}. Kernels receive its address, which Addr of {{.Pool}}View returns, and pass it to kernels that they launch.
typedef struct {{.View}} {
	uint64_t base;             // address of the region
	uint64_t size;             // of the region in bytes
	unsigned long long offset; // bytes that were allocated; may exceed size once the region is full
} {{.View}};
POOLGEN_STATIC_ASSERT(sizeof({{.View}}) == 24, "{{.View}}: size");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF({{.View}}, base) == 0, "{{.View}}.base: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF({{.View}}, size) == 8, "{{.View}}.size: offset");
POOLGEN_STATIC_ASSERT(POOLGEN_OFFSETOF({{.View}}, offset) == 16, "{{.View}}.offset: offset");

#ifdef __CUDACC__
// {{.Alloc}} returns room for n {{.Unit}}, aligned to {{.Granule}} bytes, or NULL if there is none. Any number of threads, of any grid of the device,
// may call it. There is no free: the host resets the view, or the pool.
static __device__ inline {{.Element}} *{{.Alloc}}({{.View}} *view, uint64_t n)
{
	const uint64_t granule = {{.Granule}};
	const uint64_t size = view->size;
	if (n == 0 || n > size / sizeof({{.Element}}))
		return NULL;
	const uint64_t bytes = (n * sizeof({{.Element}}) + granule - 1) / granule * granule;
	// This check keeps calls that fail from growing the offset, which therefore never wraps around.
	if (bytes > size || *(volatile unsigned long long *)&view->offset > size - bytes)
		return NULL;
	const uint64_t offset = atomicAdd(&view->offset, (unsigned long long)bytes);
	return offset > size - bytes ? NULL : ({{.Element}} *)(view->base + offset);
}
#endif
`))
