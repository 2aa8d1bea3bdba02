package shaderlift

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes/dce"
	"github.com/shaderlift/shaderlift/split"
	"github.com/shaderlift/shaderlift/verify"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// MostKernels is how many kernels Split makes of one at most, unless it is told otherwise, and
// MaxKernels what it may be told.
const (
	MostKernels = 16
	MaxKernels  = 256
)

// Splitting is a kernel taken apart by conditions that constants alone decide.
type Splitting struct {
	Schema int    `json:"schema"`
	Kernel string `json:"kernel"` // as it was called
	split.Table
	// Results are what became of each of Table.Kernels, in order.
	Results []*Result `json:"results"`
	// Left are outcomes for which there is no kernel, with the reason.
	Left []LeftOut `json:"left,omitempty"`
	// Files are the kernels, and last that for all other constants, the kernel itself.
	Files []File `json:"-"`
}

// LeftOut says why there is no kernel for some outcomes of conditions.
type LeftOut struct {
	When []split.Outcome `json:"when"`
	Why  string          `json:"why"`
}

// JSON is the table, with what is known of each kernel.
func (s *Splitting) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// mostDecided is how many launches, each with constants of its own, a part of a kernel is executed
// on. splitDomain is the side of the domain that it is timed on. Both are chosen to keep a split
// with many kernels short.
const (
	mostDecided = 4
	splitDomain = 64
)

// Split makes of a kernel one for each way that conditions may come out which constants alone
// decide, up to most of them (0 is [MostKernels]), each optimized under o. The host evaluates the
// conditions, or has [split.Table.Choose] do it, and launches the kernel that belongs to them.
//
// A kernel is verified twice: what the optimizer makes of the text in which the conditions are
// decided, as always; and that text against the kernel itself, by executing both for constants for
// which the conditions come out so, where every bit has to be the same. Where no such constants are
// found, or a kernel is not verified, the kernel itself stays.
//
// The error is that of Optimize; one of code "no-condition" says that there is nothing to decide.
func Split(ctx context.Context, in Input, o Options, most int) (*Splitting, error) {
	if most == 0 {
		most = MostKernels
	}
	if most < 2 || most > MaxKernels {
		return nil, asm.Errorf(asm.Pos{File: "<options>"}, "option-range", "%d kernels are out of range: 2 to %d", most, MaxKernels)
	}
	k, err := readKernel(in)
	if err != nil {
		return nil, err
	}
	conditions, leaves, err := split.Split(k, most)
	if err != nil {
		return nil, err
	}
	if len(conditions) == 0 {
		return nil, asm.Errorf(asm.Pos{File: in.Path()}, "no-condition", "no branch of this kernel is decided by constants alone")
	}
	name := filepath.Base(in.Files[0].Name)
	ext := filepath.Ext(name)
	s := &Splitting{Schema: 1, Kernel: in.Path(), Table: split.Table{Conditions: conditions, Otherwise: name}}
	for _, leaf := range leaves {
		launches := decidedLaunches(k, leaf, conditions, o)
		if len(launches) == 0 {
			s.Left = append(s.Left, LeftOut{leaf.When, "no constants were found for which the conditions come out so"})
			continue
		}
		if why := verify.Decided(k, leaf.Kernel, launches, verify.Options{}); why != "" {
			s.Left = append(s.Left, LeftOut{leaf.When, why})
			continue
		}
		o := o // priced where its constants are so
		if o.KernelCase = launches[0]; o.Domain == [2]int{} {
			o.Domain = [2]int{splitDomain, splitDomain}
		}
		whole, err := Stats(ctx, in, o)
		if err != nil {
			return nil, err
		}
		text, err := cleared(leaf.Kernel)
		if err != nil {
			return nil, err
		}
		res, err := Optimize(ctx, Input{Name: in.Name, Files: []File{{in.Files[0].Name, text}}}, o)
		if err != nil {
			return nil, err
		}
		res.besides(whole)
		file := fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, ext), len(s.Files), ext)
		if same := slices.IndexFunc(s.Files, func(f File) bool { return bytes.Equal(f.Data, res.Files[0].Data) }); same >= 0 {
			file = s.Files[same].Name // the last condition does not matter then
		} else {
			s.Files = append(s.Files, File{Name: file, Data: res.Files[0].Data})
		}
		s.Kernels = append(s.Kernels, split.Kernel{File: file, When: leaf.When})
		s.Results = append(s.Results, res)
	}
	s.Files = append(s.Files, File{Name: name, Data: in.Files[0].Data})
	return s, nil
}

// besides puts into r, the result for a part of a kernel, the costs of the whole kernel as those
// before.
func (r *Result) besides(whole *Result) {
	if r.Kernel == nil || whole.Kernel == nil || r.Kernel.Target != whole.Kernel.Target {
		return
	}
	cost := r.Kernel.Now()
	r.Kernel = &KernelCosts{Target: r.Kernel.Target, Before: whole.Kernel.Before, After: &cost}
	if r.Status = Changed; cost.better(&whole.Kernel.Before) {
		r.Status = Improved
	}
}

// cleared is the text of a leaf without the branches that are decided and what only they needed, if
// the verifier proves that this changes nothing; otherwise the text as it is.
func cleared(k *il.Kernel) ([]byte, error) {
	text := il.Print(k)
	f, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	dce.Sweep(f)
	without, err := amdil.Emit(k, f)
	if err != nil || verify.CheckKernel(k, without, verify.Options{}).Verdict < verify.Proved {
		return text, nil
	}
	return il.Print(without), nil
}

// decidedLaunches are launches of k with constants under which the conditions come out as leaf
// says.
func decidedLaunches(k *il.Kernel, leaf split.Leaf, conditions []split.Condition, o Options) (list []*interpreter.Case) {
	for i, set := range split.Constants(conditions, leaf.When, mostDecided, o.Seed) {
		l := interpreter.DefaultCase(k, o.Seed+uint64(i))
		for name, word := range set { // each its own
			setConstant(l, name, word)
		}
		list = append(list, l)
	}
	return list
}

// setConstant sets a component of a constant, by a name such as cb0[3].x.
func setConstant(l *interpreter.Case, name string, word uint32) {
	r, ok := constantOf(name)
	if !ok {
		return
	}
	buffer, element := amdil.Constant(r)
	for len(l.Constants[buffer]) <= element {
		l.Constants[buffer] = append(l.Constants[buffer], [4]uint32{})
	}
	l.Constants[buffer][element][r.Comp] = word
}

// constantOf reads the name of a component of a constant buffer.
func constantOf(name string) (r ir.Reg, ok bool) {
	m := constantName.FindStringSubmatch(name)
	if m == nil || m[2] != "cb" || len(m[7]) != 1 {
		return r, false
	}
	buffer, _ := strconv.Atoi(m[3]) // digits, as the form says
	element, _ := strconv.Atoi(m[4])
	if buffer >= maxBuffer || element >= maxElement {
		return r, false
	}
	return amdil.Reg(il.Reg{File: il.ConstBuf, Num: uint16(buffer)}, uint32(element), strings.Index("xyzw", m[7])), true
}
