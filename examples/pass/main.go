// Pass adds a custom pass to the pipeline. The pass replaces x*2 by x+x, so that the constant 2
// needs no register. The rest of the pipeline cleans up after it, prices the result, undoes
// rewrites that cost more, and verifies the output.
//
//	go run ./examples/pass glow.psh
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/passes"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: pass PROGRAM")
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	text, err := optimize(shaderlift.File{Name: os.Args[1], Data: data})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
}

func optimize(f shaderlift.File) (string, error) {
	o := shaderlift.Options{Pipeline: "double,dce", Hooks: shaderlift.Hooks{Passes: []*passes.Pass{double}}, Keep: true}
	res, err := shaderlift.Optimize(context.Background(), shaderlift.Input{Files: []shaderlift.File{f}}, o)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s// %s, %s\n", res.Files[0].Data, res.Status, res.Verdict()), nil
}
