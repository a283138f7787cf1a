package main

import "container/list"

// residents are the pages that have memory, in the order in which they were last seen.
type residents struct {
	order list.List // of *page
}

// add puts a page last, which has just got memory.
func (r *residents) add(p *page) { p.place = r.order.PushBack(p) }

// touch puts a page last, which was seen again.
func (r *residents) touch(p *page) { r.order.MoveToBack(p.place) }

// remove takes a page out.
func (r *residents) remove(p *page) {
	r.order.Remove(p.place)
	p.place = nil
}

// oldest returns the page that was not seen for longest; nil if there is none.
func (r *residents) oldest() *page {
	if first := r.order.Front(); first != nil {
		return first.Value.(*page)
	}
	return nil
}
