package spec

// newDriverPool returns the settings of a pool that does not set driver_pool; nil is the device's default pool.
func newDriverPool(p *Pool) *DriverPool {
	if !p.May(DevicePool) {
		return nil
	}
	return defaultDriverPool(p)
}

func defaultDriverPool(p *Pool) *DriverPool {
	d := &DriverPool{Source: "default", Type: "pinned", Location: "device", MaxSize: NoLimit, Handles: "none"}
	if p.May(DevicePool) {
		d.Source = "custom"
	}
	return d
}

// readDriverPool reads the settings of the driver's memory pool.
func (c *poolCheck) readDriverPool(k *Key, n *node) bool {
	values, ok := c.block(n, DriverPoolSection, k.Name)
	if !ok {
		return false
	}
	d := defaultDriverPool(c.p)
	c.p.DriverPool, c.driver = d, values
	key := func(name string) *Key { return keyNamed(DriverPoolSection, name) }
	for name, at := range map[string]*string{"source": &d.Source, "type": &d.Type, "location": &d.Location, "handles": &d.Handles} {
		if v := values[name]; v != nil {
			text, good := c.choice(v, key(name))
			*at, ok = text, ok && good
		}
	}
	for name, at := range map[string]*int64{"release_threshold": &d.ReleaseThreshold.Value, "max_size": &d.MaxSize} {
		if v := values[name]; v != nil {
			size, good := c.size(v, key(name))
			*at, ok = size, ok && good
		}
	}
	d.ReleaseThreshold.Written = values["release_threshold"] != nil
	if v := values["numa"]; v != nil {
		node, good := c.number(v, key("numa"))
		d.NUMA, ok = int(node), ok && good
	}
	if v := values["set_current"]; v != nil {
		set, good := c.boolean(v, key("set_current"))
		d.SetCurrent, ok = set, ok && good
	}
	if v := values["reuse"]; v != nil {
		ok = c.readReuse(d, v) && ok
	}
	if len(values) == 0 && len(n.pairs) == 0 {
		c.fail(codeKind, n, "write "+k.Example, "driver_pool is empty")
		return false
	}
	return ok && (c.formOnly || c.checkDriverPool())
}

func (c *poolCheck) readReuse(d *DriverPool, n *node) bool {
	values, ok := c.block(n, ReuseSection, "reuse")
	for name, at := range map[string]*Setting[bool]{"follow_events": &d.ReuseFollow, "opportunistic": &d.ReuseOpportune, "internal": &d.ReuseInternal} {
		if v := values[name]; v != nil {
			set, good := c.boolean(v, keyNamed(ReuseSection, name))
			*at, ok = Setting[bool]{set, true}, ok && good
		}
	}
	return ok
}

// checkDriverPool checks that the settings do not contradict each other.
func (c *poolCheck) checkDriverPool() bool {
	d := c.p.DriverPool
	before := len(*c.found)
	if d.Source == "default" {
		for _, name := range []string{"type", "location", "numa", "max_size", "handles"} {
			if v := c.driver[name]; v != nil {
				c.fail(codeDriverPool, v, "set source: custom, or leave "+name+" out", "driver_pool: %s is fixed when a pool is created, and the default pool exists already", name)
			}
		}
	}
	numa := c.driver["numa"]
	switch {
	case numa != nil && d.Location != "host_numa" && d.Source != "default":
		c.fail(codeDriverPool, numa, "set location: host_numa, or leave numa out", "driver_pool: numa applies to location host_numa only")
	case numa == nil && d.Location == "host_numa":
		c.fail(codeMissing, c.driver["location"], "add numa: 0", "driver_pool: location host_numa needs numa, the number of the node")
	}
	if kept := d.ReleaseThreshold; kept.Written && kept.Value != NoLimit && kept.Value > d.MaxSize {
		c.fail(codeDriverPool, c.driver["release_threshold"], "lower release_threshold, or raise max_size", "driver_pool: release_threshold %s is above max_size %s",
			FormatSize(kept.Value), FormatSize(d.MaxSize))
	}
	return len(*c.found) == before
}

// checkSharing makes the memory of a shareable pool exportable, and refuses handles that the pool cannot export.
func (c *poolCheck) checkSharing() {
	p, d, handles := c.p, c.p.DriverPool, c.driver["handles"]
	switch {
	case d == nil:
	case p.Shareable && !p.May(DevicePool): // another allocator of the list shares its memory
	case p.Shareable && d.Source == "default":
		c.fail(codeDriverPool, c.at("shareable"), "set source: custom in driver_pool", "shareable needs a pool of its own, and driver_pool has source default")
	case p.Shareable && handles != nil && d.Handles != "fd":
		c.fail(codeDriverPool, handles, "write handles: fd, or leave it out", "driver_pool: handles %s cannot share by file descriptor", d.Handles)
	case p.Shareable:
		d.Handles = "fd"
	case d.Handles == "fd" && d.Source == "custom" && handles != nil:
		help := "add shareable: true, or leave handles out"
		if !p.May(DevicePool) {
			help = "use allocator: device_pool with shareable: true, or leave handles out"
		}
		c.fail(codeDriverPool, handles, help, "driver_pool: handles fd is for a pool that is shared, and this one is not shareable")
	case d.Handles == "win32" && d.Source == "custom" && handles != nil && c.file.env.GOOS != "" && c.file.env.GOOS != "windows":
		c.fail(codeDriverPool, handles, "leave handles out, or generate with GOOS=windows for programs that run there", "driver_pool: handles win32 exist on Windows only")
	}
}
