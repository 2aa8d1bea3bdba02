// Pass runs a pass of one's own among those that there are: what is doubled is added to itself,
// so that the constant 2 needs no register. The rest of the pipeline cleans up after it, prices
// what it did and takes it back where that costs more, and what is written was verified.
//
//	go run ./examples/pass glow.psh
package main

import (
	"context"
	"fmt"
	"log"
	"math"
	"os"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
)

var double = &passes.Pass{
	Name:  "double",
	Doc:   "add a value to itself in place of multiplying it by two",
	Class: passes.Bits, // x*2 and x+x round alike
	Run: func(c *passes.Ctx, u *passes.Unit) error {
		for _, f := range u.Funcs() {
			f.Walk(func(in *ir.Instr) {
				if in.Op != ir.OpMul {
					return
				}
				for i, by := range in.Src {
					// Allows asks whether --numerics lets this instruction change so, Step
					// counts the rewrite, for fuel and bisection, and may forbid it.
					if isTwo(in, by) && c.Allows(passes.Bits, in) && c.Step(in, "doubled", "add in place of mul") {
						in.Op, in.Src[i] = ir.OpAdd, in.Src[1-i]
						return
					}
				}
			})
		}
		return nil
	},
}

// isTwo reports whether an operand is two in every lane that in computes.
func isTwo(in *ir.Instr, operand ir.Operand) bool {
	for lane, out := range in.Out {
		l := operand[lane]
		if out != nil && (l.V.Kind != ir.Literal || l.V.Bits != math.Float32bits(2) || l.Mod != 0) {
			return false
		}
	}
	return true
}

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
	o := shaderlift.Options{Pipeline: "double,dce", Passes: []*passes.Pass{double}, Keep: true}
	res, err := shaderlift.Optimize(context.Background(), shaderlift.Input{Files: []shaderlift.File{f}}, o)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s// %s, %s\n", res.Files[0].Data, res.Status, res.Verdict()), nil
}
