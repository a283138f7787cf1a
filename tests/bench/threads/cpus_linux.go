package threads

import "golang.org/x/sys/unix"

// cpus lists the processors that the program may use.
func cpus() (list []int) {
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) != nil {
		return nil
	}
	for i := range len(set) * 64 {
		if set.IsSet(i) {
			list = append(list, i)
		}
	}
	return list
}

// stay keeps the calling thread on some of the processors. Where that is not allowed, nothing happens.
func stay(on ...int) {
	var set unix.CPUSet
	for _, i := range on {
		set.Set(i)
	}
	_ = unix.SchedSetaffinity(0, &set)
}
