package main

import (
	"fmt"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/containers"
	"github.com/spf13/pflag"
)

// compiling is the flag --compile: how the files of an input that are HLSL are compiled. A single item is for all
// files.
type compiling struct {
	set   bool
	items []shaderlift.CompileOptions
	// done has the programs of this run: a file may be loaded several times.
	mu   sync.Mutex
	done map[string]shaderlift.File
}

// guessed is the value of the flag without a value.
const guessed = "guessed"

func (c *compiling) String() string { return "" }

// Type describes the value of the flag (see flagError).
func (c *compiling) Type() string { return "[PROFILE:]FUNCTION for each file" }

// Set reads a list of items, such as main, vs_3_0:VSMain or ps_3_0.
func (c *compiling) Set(text string) error {
	c.set, c.items = true, nil
	for item := range strings.SplitSeq(text, ",") {
		var o shaderlift.CompileOptions
		profile, entry, both := strings.Cut(item, ":")
		switch isProfile := strings.HasPrefix(item, "vs_") || strings.HasPrefix(item, "ps_"); {
		case both:
			o.Profile, o.Entry = profile, entry
		case isProfile:
			o.Profile = item
		case item != guessed:
			o.Entry = item
		}
		c.items = append(c.items, o)
	}
	return nil
}

func (a *app) addCompile(set *pflag.FlagSet) {
	set.Var(&a.compiling, "compile",
		"compile inputs in HLSL with vkd3d-compiler 1.3 or later from the PATH; `=[PROFILE:]FUNCTION` selects the shader, "+
			"one for each file of a pair (default: found in the source)")
	set.Lookup("compile").NoOptDefVal = guessed
}

// compile compiles file number i of an input, if the flag is given and the file is HLSL.
func (a *app) compile(f shaderlift.File, i int) (shaderlift.File, error) {
	c := &a.compiling
	if !c.set || !containers.IsHLSL(f.Data) {
		return f, nil
	}
	o := c.items[min(i, len(c.items)-1)]
	key := fmt.Sprintf("%q %q %q", f.Name, o.Profile, o.Entry)
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, done := c.done[key]; done {
		return p, nil
	}
	p, warnings, err := shaderlift.Compile(a.ctx, f, o)
	if err != nil {
		return f, err
	}
	for i := range warnings {
		warnings[i].Pos.File = asm.Shown(warnings[i].Pos.File)
	}
	printWarnings(a.err, warnings)
	if c.done == nil {
		c.done = map[string]shaderlift.File{}
	}
	c.done[key] = p
	return p, nil
}
