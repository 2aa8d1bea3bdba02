// Pipeline is a step of an asset pipeline: it writes the optimized effects of a folder into another
// one, and copies all other files. The build fails if an effect is not proved equivalent, and the
// report is stored next to the output.
//
//	go run ./examples/pipeline Effects shipped
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/verify"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: pipeline FROM TO")
	}
	if err := build(context.Background(), os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

func build(ctx context.Context, from, to string) error {
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	o := shaderlift.Options{Target: shaderlift.PortableTarget, Require: verify.ProvedReal}
	report := shaderlift.NewReport(o)
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(from, e.Name()))
		if err != nil {
			return err
		}
		if shaderlift.Recognize(data) == input.Effect {
			res, err := shaderlift.Optimize(ctx, shaderlift.Input{Files: []shaderlift.File{{Name: e.Name(), Data: data}}}, o)
			report.Add(res)
			if err != nil {
				return fmt.Errorf("%s: %w", e.Name(), err)
			}
			fmt.Printf("%s: %s, %s\n", e.Name(), res.Status, res.Verdict())
			data = res.Files[0].Data
		}
		if err := os.WriteFile(filepath.Join(to, e.Name()), data, 0o666); err != nil {
			return err
		}
	}
	w, err := os.Create(filepath.Join(to, "effects.json"))
	if err != nil {
		return err
	}
	defer w.Close()
	return report.WriteJSON(w)
}
