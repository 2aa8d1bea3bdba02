// Command simdgen writes the vector kernels of the packages lanes, eights and wave in Go's assembly, with avo
// (github.com/mmcloughlin/avo). It is a separate module, so that those packages do not depend on avo.
//
//	go run . lanes ../../verify/interp/internal/lanes
package main

import (
	"log"
	"os"

	"github.com/shaderlift/shaderlift/bench/simdgen/eights"
	"github.com/shaderlift/shaderlift/bench/simdgen/lanes"
	"github.com/shaderlift/shaderlift/bench/simdgen/wave"
)

// generators lists the functions that write the kernels of a package into a directory.
var generators = map[string]func(dir string) error{"eights": eights.Write, "lanes": lanes.Write, "wave": wave.Write}

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 || generators[os.Args[1]] == nil {
		log.Fatal("usage: simdgen lanes|eights|wave DIR")
	}
	if err := generators[os.Args[1]](os.Args[2]); err != nil {
		log.Fatal(err)
	}
}
