package browser

import "testing"

// faint finds texts whose contrast to their background, as defined by WCAG, is less than 4.5.
const faint = `(() => {
	const rgb = (colour) => colour.match(/[\d.]+/g).map(Number)
	const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)).reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)
	const ground = (node) => {
		for (; node; node = node.parentElement) {
			const c = rgb(getComputedStyle(node).backgroundColor)
			if (c.length < 4 || c[3] > 0) return c
		}
		return [255, 255, 255]
	}
	return [...document.querySelectorAll("body *")].filter((n) => !n.disabled && n.checkVisibility() && [...n.childNodes].some((c) => c.nodeType === 3 && c.data.trim())).flatMap((n) => {
		const a = light(rgb(getComputedStyle(n).color)), b = light(ground(n))
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
		return contrast < 4.5 ? [contrast.toFixed(2) + ": " + n.tagName + " " + n.className + " " + n.textContent.slice(0, 40)] : []
	})
})()`

// All text is readable in both schemes, including that of pools that came and went.
func TestContrast(t *testing.T) {
	b := visit(t, sample(1, 2), later())
	for _, scheme := range []string{"light", "dark"} {
		b.scheme(scheme)
		b.waitFrames()
		for _, fault := range eval[[]string](b, faint) {
			t.Errorf("%s: %s", scheme, fault)
		}
	}
	eval[bool](b, `document.getElementById("program").style.color = "#606670", true`)
	if n := len(eval[[]string](b, faint)); n != 1 {
		t.Errorf("of one planted text %d were found", n)
	}
}
