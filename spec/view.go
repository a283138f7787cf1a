package spec

// Views reports whether the pool has views, from which kernels allocate.
func (p *Pool) Views() bool { return p.DeviceView != NoView }

// FreesViews reports whether views are freed one by one.
func (p *Pool) FreesViews() bool { return p.Views() && p.Frees() }

// ViewAlignment returns the alignment of the items of a view as the file sets it, else 1: the items lie as in an array.
func (p *Pool) ViewAlignment() int64 {
	for i := range p.Values {
		if v := &p.Values[i]; v.Key == "alignment" && (v.Origin == FromPool || v.Origin == FromDefaults) {
			return max(p.Alignment, 1)
		}
	}
	return 1
}

func deviceViewText(p *Pool) string {
	if p.DeviceView == NoView {
		return "false"
	}
	return string(p.DeviceView)
}

// readDeviceView reads what kernels do in a view. Like a key that does not apply, a value that does not is skipped if defaults set it.
func (c *poolCheck) readDeviceView(k *Key, n *node) bool {
	word, ok := c.choice(n, k)
	if !ok {
		return false
	}
	view := map[string]DeviceView{"true": BumpView, "bump": BumpView, "fixed": FixedView}[word]
	why, help := c.p.viewMisfit(view)
	switch {
	case c.formOnly || why == "":
		c.p.DeviceView = view
	case c.from[k.Name] == FromDefaults:
		c.skip[k.Name] = word + " does not apply to " + why
	default:
		c.fail(codeNotApplicable, n, help, "%s %s does not apply to %s", k.Name, word, why)
		return false
	}
	return true
}

// viewMisfit returns why a kind of view does not apply to a pool, and what to write; "" if it applies.
func (p *Pool) viewMisfit(view DeviceView) (why, help string) {
	switch {
	case view == BumpView && p.Frees():
		return "suballocator " + string(p.Suballocator), "use device_view: fixed, or suballocator: " + nearestOf(resetCutters)
	case view == FixedView && p.Item.Kind == ItemBytes:
		return "a pool without item", "set item"
	}
	return "", ""
}
