package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/wording"
)

// invoke runs a single program and prints its results.
func (a *app) invoke(in shaderlift.Input, o shaderlift.Options, r *runner) error {
	if r.to != "" && r.to != stdinName && !strings.EqualFold(filepath.Ext(r.to), ".f32") {
		return usagef("%s: the outputs of a single program need a name that ends in .f32", r.to)
	}
	res, err := shaderlift.RunProgram(a.ctx, in, o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	out := a.summary(r.to)
	fmt.Fprintf(out, "%d %s\n", res.N, wording.Plural("invocation", res.N))
	for _, p := range res.Outputs {
		for i, v := range p.Values {
			binary.Write(&b, binary.LittleEndian, v)
			killed := ""
			if res.Killed != nil && res.Killed[i] {
				killed = " (killed)"
			}
			fmt.Fprintf(out, "%d %-5s %v %v %v %v%s\n", i, p.Name, v[0], v[1], v[2], v[3], killed)
		}
	}
	if r.to == "" {
		return nil
	}
	return a.write(r.to, b.Bytes())
}
