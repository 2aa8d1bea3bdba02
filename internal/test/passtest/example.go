package passtest

import (
	"fmt"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
)

// PrintResult runs passes on the pixel program of an example, and prints the result. It panics on an error.
func PrintResult(text string, numerics passes.Class, list ...*passes.Pass) {
	p, err := d3d9.Parse("example", []byte(text))
	if err != nil {
		panic(err)
	}
	s := &Source{Pixel: p}
	u, err := s.Lift()
	if err != nil {
		panic(err)
	}
	var pipeline passes.Pipeline
	for _, pass := range list {
		pipeline = append(pipeline, passes.Stage{Pass: pass})
	}
	if _, err := passes.Run(u, pipeline, passes.Config{Numerics: numerics, Measure: s.Measure}); err != nil {
		panic(err)
	}
	out, err := s.Emit(u)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s", d3d9.Print(out.Pixel))
}
