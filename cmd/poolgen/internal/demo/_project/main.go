// The demo allocates from two generated pools and draws where the blocks lie.
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
	drawing := newTileMap(live)

	var kept, freed []*Tile
	for i, tile := range live {
		if i%3 == 0 || i/40 == 2 {
			if err := FreeTile(tile); err != nil {
				return err
			}
			freed = append(freed, tile)
		} else {
			kept = append(kept, tile)
		}
	}
	drawing.print(fmt.Sprintf("%d of them freed", len(freed)), kept)
	fmt.Printf("freeing one again is refused: %v\n", FreeTile(freed[0]))

	for range 50 {
		tile, err := AllocTile()
		if err != nil {
			return err
		}
		kept = append(kept, tile)
	}
	drawing.print("50 allocated again, in the places freed", kept)
	printStats(DefaultTilePool().Stats())
	return nil
}

// texts puts strings of many lengths next to each other and lets the pool merge what becomes free.
func texts() error {
	fmt.Println("\nPool Text: blocks of any length (heap), AllocText and FreeText")
	drawing, err := newTextMap()
	if err != nil {
		return err
	}
	var live [][]byte
	for i := range 20 {
		text, err := AllocText(500 + 1217*(i*i%5))
		if err != nil {
			return err
		}
		copy(text, fmt.Sprintf("label %d", i))
		live = append(live, text)
	}
	drawing.print(fmt.Sprintf("%d texts of 500 to 5368 bytes", len(live)), live)
	var kept [][]byte
	for i, text := range live {
		if i%4 == 1 || i%4 == 2 {
			if err := FreeText(text); err != nil {
				return err
			}
		} else {
			kept = append(kept, text)
		}
	}
	drawing.print("half of them freed; free neighbours are one range now", kept)
	printStats(DefaultTextPool().Stats())
	return nil
}

func printStats(s poolrt.Stats) {
	fmt.Printf("stats: %d live with %d bytes, %d chunks with %d bytes reserved, %d allocs, %d frees, %d failed, largest free range %d bytes\n",
		s.Live, s.LiveBytes, s.Chunks, s.Reserved, s.Allocs, s.Frees, s.Failures, s.LargestFree)
}
