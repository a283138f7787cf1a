package main

import (
	"fmt"
	"slices"
	"unsafe"
)

// memoryMap draws chunks as rows of cells, by the addresses that the pools handed out.
type memoryMap struct {
	chunks []uintptr // first addresses, ascending
}

const (
	cells    = 64               // of a row
	cellSize = 1024             // bytes
	rowSize  = cells * cellSize // bytes: one chunk
)

// newTileMap finds the chunks of a pool that is full: in the order of their addresses, the tiles of a chunk
// follow each other.
func newTileMap(all []*Tile) memoryMap {
	var m memoryMap
	var addresses []uintptr
	for _, tile := range all {
		addresses = append(addresses, uintptr(unsafe.Pointer(tile)))
	}
	slices.Sort(addresses)
	for i := 0; i < len(addresses); i += cells {
		m.chunks = append(m.chunks, addresses[i])
	}
	m.print("full", all)
	return m
}

// newTextMap finds the first chunk of a pool: a request as large as the chunk fills it from its start.
func newTextMap() (memoryMap, error) {
	whole, err := AllocText(rowSize)
	if err != nil {
		return memoryMap{}, err
	}
	return memoryMap{[]uintptr{uintptr(unsafe.Pointer(&whole[0]))}}, FreeText(whole)
}

// print draws the live blocks: # is a full cell, + one partly used, . a free one.
func (m memoryMap) print(title string, live any) {
	used := map[uintptr]int{} // bytes used, by the address of the cell
	switch live := live.(type) {
	case []*Tile:
		for _, tile := range live {
			m.mark(used, uintptr(unsafe.Pointer(tile)), int(unsafe.Sizeof(*tile)))
		}
	case [][]byte:
		for _, text := range live {
			m.mark(used, uintptr(unsafe.Pointer(&text[0])), len(text))
		}
	}
	fmt.Printf("\n%s\n", title)
	for _, chunk := range m.chunks {
		fmt.Printf("  %#x ", chunk)
		for i := range uintptr(cells) {
			fmt.Print(cell(used[chunk+i*cellSize]))
		}
		fmt.Println()
	}
}

// mark adds a block to the cells that it lies in.
func (m memoryMap) mark(used map[uintptr]int, address uintptr, size int) {
	for _, chunk := range m.chunks {
		if address < chunk || address >= chunk+rowSize {
			continue
		}
		for size > 0 {
			start := chunk + (address-chunk)/cellSize*cellSize
			part := min(size, int(start+cellSize-address))
			used[start] += part
			address += uintptr(part)
			size -= part
		}
	}
}

func cell(used int) string {
	switch used {
	case 0:
		return "."
	case cellSize:
		return "#"
	}
	return "+"
}
