package main

import (
	"fmt"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/input"
)

// retargeted returns a function that derives the options for one input from those of the run. If
// --target only supports some kinds of inputs, and the run has inputs of both kinds, the others
// keep the default, and one warning reports this. If it supports no input, every input is an error.
func (a *app) retargeted(jobs []job, o shaderlift.Options) func(shaderlift.Input) shaderlift.Options {
	fits := func(kernel bool) bool { return o.Check(kindOf(kernel)) == nil }
	kernels, programs := fits(true), fits(false)
	var found [2]bool // programs, kernels
	for i := 0; i < len(jobs) && kernels != programs; i++ {
		j := &jobs[i]
		if j.err != nil || len(j.paths) == 0 || j.paths[0] == stdinName || !isFile(j.paths[0]) {
			continue
		}
		switch format, _, err := recognize(j.paths[0]); {
		case err != nil || format == input.Unrecognized:
		case format == input.IL:
			found[1] = true
		default:
			found[0] = true
		}
	}
	if !found[0] || !found[1] {
		return func(shaderlift.Input) shaderlift.Options { return o }
	}
	held, others := "Direct3D 9 programs", "kernels"
	if kernels {
		held, others = others, held
	}
	fmt.Fprintf(a.err, "shaderlift: --target %s applies to %s; %s use the default target\n", o.Target, held, others)
	return func(in shaderlift.Input) shaderlift.Options {
		o := o
		if isKernel(in) != kernels {
			o.Target = ""
		}
		return o
	}
}

func kindOf(kernel bool) shaderlift.Kind {
	if kernel {
		return shaderlift.KindKernel
	}
	return shaderlift.KindPair
}
