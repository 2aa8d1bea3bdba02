// Costs prints the cost of every instruction of a program or a pair: slots of its shader model, and
// components of temporaries that are live after it.
//
//	go run ./examples/costs water.vsh water.psh
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"

	"github.com/shaderlift/shaderlift"
)

func main() {
	if err := costs(os.Stdout, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

func costs(w io.Writer, paths []string) error {
	var in shaderlift.Input
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		in.Files = append(in.Files, shaderlift.File{Name: path, Data: data})
	}
	res, err := shaderlift.Instructions(context.Background(), in, shaderlift.Options{})
	for _, p := range res.Programs {
		for _, i := range p.Instructions {
			fmt.Fprintf(w, "%s:%d: %d slots, %d live: %s\n", p.Name, i.Line, i.Slots, i.Live, i.Text)
		}
	}
	return err
}
