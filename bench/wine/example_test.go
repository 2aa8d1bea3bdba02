package wine_test

import (
	"fmt"
	"log"
	"os"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/bench/wine"
	"github.com/shaderlift/shaderlift/verify/interp"
)

func mustParse(src string) *d3d9.Program {
	p, err := d3d9.Parse("example", []byte(src))
	if err != nil {
		log.Fatal(err)
	}
	return p
}

// Compare checks a picture from any source, here one that is all zero.
func ExampleCompare() {
	p := wine.Programs{
		Vertex: mustParse("vs_3_0\ndcl_position v0\ndcl_position o0\nmov o0, v0\n"),
		Pixel:  mustParse("ps_3_0\ndef c0, 0, 0.5, 0, 1\nmov oC0, c0\n"),
	}
	c, err := interp.ParseCase("example", []byte("size 2 2\nattr position 0 2 -1 1 1 1 -1 -1 1 -1\nclear 9 9 9 9\n"))
	if err != nil {
		log.Fatal(err)
	}
	a, err := wine.Compare(p, c, make([]float32, 4*2*2))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Close, "close", a.Wrong, "wrong")
	fmt.Println(a.First)
	// Output:
	// 8 close 8 wrong
	// pixel (0,0) component 1 of target 0: want 0.5, got 0
}

// A Runner draws subjects through Wine and compares with the interpreter.
func ExampleRunner() {
	dir, err := os.MkdirTemp("", "wine")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	r, err := wine.Start(dir)
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	outcomes, err := r.Check([]wine.Subject{ /* pairs and cases */ })
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range outcomes {
		fmt.Println(o.Counts(), o.Wrong())
	}
}
