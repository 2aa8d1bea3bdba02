package shaderlift

import (
	"encoding/base64"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/passes"
	"golang.org/x/tools/txtar"
)

// ErrRefused marks a result that verification did not let pass.
var ErrRefused = errors.New("verification refused the result")

// Fault is an error of this program: a panic, a pass that broke the code, or a
// result that was refuted.
type Fault struct {
	Input   Input
	Options Options
	Err     error
	Stack   []byte // of a panic
	// Step is the rewrite to blame, where that is known.
	Step *passes.Step
}

func (f *Fault) Error() string {
	text := fmt.Sprintf("internal fault on %s: %v", f.Input.name(), f.Err)
	if f.Step != nil {
		text += "; the rewrite to blame is " + f.Step.String()
	}
	return text
}

// Unwrap returns the cause.
func (f *Fault) Unwrap() error { return f.Err }

// Reproducer is all that it takes to see the fault again, as a txtar archive:
// version, options and error first, then the programs.
func (f *Fault) Reproducer() []byte {
	var b strings.Builder
	o := f.Options
	fmt.Fprintf(&b, "shaderlift %s: reproducer of an internal fault\n", Version)
	var names []string
	var files []txtar.File
	for _, in := range f.Input.Files {
		file := txtar.File{Name: filepath.Base(in.Name), Data: in.Data}
		if text, ok := asText(in.Data); ok {
			file.Data = text
		} else {
			file.Name += ".base64"
			file.Data = []byte(base64.StdEncoding.EncodeToString(in.Data))
		}
		names, files = append(names, file.Name), append(files, file)
	}
	fmt.Fprintf(&b, "command: shaderlift opt -p '%s' --numerics %s", f.pipeline(), o.numerics())
	if o.HostMirrored {
		b.WriteString(" --host-constants mirrored")
	}
	for _, c := range o.Constants {
		fmt.Fprintf(&b, " --constant '%s'", c)
	}
	if o.Fuel != nil {
		fmt.Fprintf(&b, " --fuel %d", *o.Fuel)
	}
	fmt.Fprintf(&b, " %s\n", strings.Join(names, ","))
	fmt.Fprintf(&b, "error: %s\n", oneLine(f.Err.Error()))
	for line := range strings.Lines(string(f.Stack)) {
		fmt.Fprintf(&b, "  %s", line)
	}
	return txtar.Format(&txtar.Archive{Comment: []byte(b.String()), Files: files})
}

// pipeline is the pipeline that ran, in full.
func (f *Fault) pipeline() string {
	if p, err := f.Options.pipeline(isKernel(f.Input)); err == nil {
		return p.String()
	}
	return f.Options.Pipeline
}

// asText is data as text that reads as the same program; false if there is none.
func asText(data []byte) ([]byte, bool) {
	if strings.HasPrefix(string(data), "-- ") || strings.Contains(string(data), "\n-- ") {
		return nil, false // would end the archive's file
	}
	switch Recognize(data) {
	case Assembly, IL:
		return data, true
	case Bytecode:
		p, err := d3d9.Decode("", data)
		if err != nil || len(p.Rest) > 0 {
			return nil, false
		}
		return d3d9.Print(p), true
	}
	return nil, false
}

func oneLine(s string) string { return strings.ReplaceAll(strings.TrimSpace(s), "\n", "; ") }

// faultOf turns an error of the pass manager into a fault that ends where it ended.
func faultOf(in Input, o Options, err *passes.Fault) *Fault {
	fuel := err.Fuel
	o.Fuel = &fuel
	return &Fault{Input: in, Options: o, Err: err, Stack: err.Stack}
}

// recovered turns a panic into a fault; it is for deferred calls.
func recovered(in Input, o Options, res **Result, err *error) {
	p := recover()
	if p == nil {
		return
	}
	fault := &Fault{Input: in, Options: o, Err: fmt.Errorf("panic: %v", p), Stack: debug.Stack()}
	if *res == nil {
		*res = newResult(in)
	}
	(*res).Faults = append((*res).Faults, fault)
	*res, *err = (*res).fail(fault)
}
