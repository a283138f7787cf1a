// The demo allocates from two generated pools and writes down where the blocks lie.
package main

import (
	"errors"
	"fmt"
	"os"

	poolrt "github.com/poolgen/poolgen/runtime"
)

func main() {
	if err := errors.Join(tiles(), texts()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// tiles fills a pool of equal blocks up to its limit, frees some blocks, and takes them again.
func tiles() error {
	fmt.Println("Pool Tile: blocks of one size (fixed), AllocTile and FreeTile")
	var live []*Tile
	var err error
	for err == nil {
		var tile *Tile
		if tile, err = AllocTile(); err == nil {
			tile.X, tile.Y = int32(len(live)%16), int32(len(live)/16)
			live = append(live, tile)
		}
	}
	if !errors.Is(err, poolrt.ErrLimit) {
		return err
	}
	fmt.Printf("\n%d tiles fit, then: %v\n", len(live), err)
	if err := write("full.snapshot"); err != nil {
		return err
	}
	var freed []*Tile
	for i, tile := range live {
		if i%3 == 0 || i/40 == 2 {
			if err := FreeTile(tile); err != nil {
				return err
			}
			freed = append(freed, tile)
		}
	}
	fmt.Printf("%d of them freed; freeing one again is refused: %v\n", len(freed), FreeTile(freed[0]))

	for range 50 {
		if _, err := AllocTile(); err != nil {
			return err
		}
	}
	fmt.Println("50 allocated again, in the places freed")
	printStats(DefaultTilePool().Stats())
	return nil
}

// texts puts strings of many lengths next to each other and lets the pool merge what becomes free.
func texts() error {
	fmt.Println("\nPool Text: blocks of any length (heap), AllocText and FreeText")
	var live [][]byte
	for i := range 20 {
		text, err := AllocText(500 + 1217*(i*i%5))
		if err != nil {
			return err
		}
		copy(text, fmt.Sprintf("label %d", i))
		live = append(live, text)
	}
	for i, text := range live {
		if i%4 == 1 || i%4 == 2 {
			if err := FreeText(text); err != nil {
				return err
			}
		}
	}
	fmt.Printf("%d texts of 500 to 5368 bytes, half of them freed; free neighbours are one range now\n", len(live))
	printStats(DefaultTextPool().Stats())
	return write("end.snapshot")
}

// write writes what all pools hold, block by block, to a file.
func write(name string) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(poolrt.TakeSnapshot().Write(f), f.Close())
}

func printStats(s poolrt.Stats) {
	fmt.Printf("stats: live %d (%d bytes), chunks %d (%d bytes), allocs %d, frees %d, failures %d, largest free range %d bytes\n",
		s.Live, s.LiveBytes, s.Chunks, s.Reserved, s.Allocs, s.Frees, s.Failures, s.LargestFree)
}
