package opt

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/amdil"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/budget"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/opt/kernel"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/verify"
	interpreter "github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// MostKernels is the default of the largest number of kernels that Split makes, and MaxKernels the
// upper limit.
const (
	MostKernels = 16
	MaxKernels  = 256
)

// Splitting is a kernel that was split by conditions on constants alone.
type Splitting struct {
	Schema int    `json:"schema"`
	Kernel string `json:"kernel"` // its path
	kernel.SplitTable
	// Results are the results for each of SplitTable.Kernels, in order.
	Results []*Result `json:"results"`
	// Left are outcomes without a kernel, with the reason.
	Left []LeftOut `json:"left,omitempty"`
	// Files are the kernels, and last the original kernel for all other constants.
	Files []File `json:"-"`
}

// LeftOut explains the absence of a kernel for some outcomes of conditions.
type LeftOut struct {
	When []kernel.Outcome `json:"when"`
	Why  string           `json:"why"`
}

// JSON returns the table, with the results for each kernel.
func (s *Splitting) JSON() ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

// mostDecided is the number of launches, each with its own constants, on which a part of a kernel is
// executed. It is chosen to keep a split with many kernels short.
const mostDecided = 4

// Split makes a kernel for each outcome of the conditions that depend on constants alone; package shaderlift
// documents it.
func Split(ctx context.Context, in Input, o Options, most int) (*Splitting, error) {
	if most == 0 {
		most = MostKernels
	}
	if most < 2 || most > MaxKernels {
		return nil, asm.Errorf(asm.Pos{File: "<options>"}, "option-range", "%d kernels are out of range (want 2 to %d)",
			most, MaxKernels)
	}
	k, err := input.ReadKernel(in)
	if err != nil {
		return nil, err
	}
	conditions, leaves, err := kernel.Split(k, most)
	if err != nil {
		return nil, err
	}
	if len(conditions) == 0 {
		return nil, asm.Errorf(asm.Pos{File: in.Path()}, "no-condition",
			"the kernel cannot be split: no branch depends only on constants")
	}
	name := filepath.Base(in.Files[0].Name)
	ext := filepath.Ext(name)
	s := &Splitting{Schema: 1, Kernel: in.Path(), SplitTable: kernel.SplitTable{Conditions: conditions, Otherwise: name}}
	base, err := splitLaunches(ctx, in, k, o)
	if err != nil {
		return nil, err
	}
	for _, leaf := range leaves {
		sets := kernel.SplitConstants(conditions, leaf.When, mostDecided, o.Seed)
		launches := decidedLaunches(k, sets, o)
		if len(launches) == 0 {
			s.Left = append(s.Left, LeftOut{leaf.When, "no constants were found for which the conditions come out so"})
			continue
		}
		if why := verify.Decided(k, leaf.Kernel, launches, verify.Options{Numerics: verify.Terms}); why != "" {
			s.Left = append(s.Left, LeftOut{leaf.When, why})
			continue
		}
		// The leaf is executed and priced with constants that select it.
		o := o
		o.Kernel.Case, o.Kernel.Launches = launches[0], nil
		for i, l := range base {
			c := withWords(l.Case, sets[i%len(sets)]).WithoutFiles()
			o.Kernel.Launches = append(o.Kernel.Launches, kernel.Launch{Name: l.Name, Before: string(c.Format())})
		}
		whole, err := Stats(ctx, in, o)
		if err != nil {
			return nil, err
		}
		text, err := cleared(leaf.Kernel)
		if err != nil {
			return nil, err
		}
		res, err := Optimize(ctx, Input{Name: in.Name, Files: []File{{Name: in.Files[0].Name, Data: text}}}, o)
		if err != nil {
			return nil, err
		}
		res.besides(whole)
		file := fmt.Sprintf("%s.%d%s", strings.TrimSuffix(name, ext), len(s.Files), ext)
		if same := slices.IndexFunc(s.Files, func(f File) bool { return bytes.Equal(f.Data, res.Files[0].Data) }); same >= 0 {
			file = s.Files[same].Name // the last condition does not matter
		} else {
			s.Files = append(s.Files, File{Name: file, Data: res.Files[0].Data})
		}
		s.Kernels = append(s.Kernels, kernel.SplitKernel{File: file, When: leaf.When})
		s.Results = append(s.Results, res)
	}
	s.Files = append(s.Files, File{Name: name, Data: in.Files[0].Data})
	return s, nil
}

// besides replaces the costs before in r, the result for a part of a kernel, by the costs of the whole
// kernel.
func (r *Result) besides(whole *Result) {
	if r.Kernel == nil || whole.Kernel == nil || r.Kernel.Target != whole.Kernel.Target {
		return
	}
	cost := r.Kernel.CurrentCost()
	r.Kernel = &kernel.Costs{Target: r.Kernel.Target, Before: whole.Kernel.Before, After: &cost}
	r.Status = Improved
	if !cost.Improves(&whole.Kernel.Before) {
		r.Status = Changed
	}
	for i := range r.Launches {
		l := &r.Launches[i]
		if l.CyclesBefore = whole.Launches[i].CyclesBefore; l.CyclesAfter > l.CyclesBefore*(1+kernel.Threshold) {
			r.Status = Changed
		}
	}
}

// splitLaunches returns the launches on which k, read from in, is priced as a whole.
func splitLaunches(ctx context.Context, in Input, k *il.Kernel, o Options) (list []kernel.Workload, err error) {
	j := job{Options: o, ctx: ctx}
	defer j.begin()()
	defer budget.Catch(&err)
	if err := j.Check(input.KindKernel); err != nil {
		return nil, err
	}
	_, f, s, err := compile(in, j)
	if err != nil {
		return nil, err
	}
	if j.known, err = j.promise(newResult(in)); err != nil {
		return nil, err
	}
	settings := j.kernelSettings()
	return settings.WorkloadsOf(k, f, s, true)
}

// cleared returns the text of a leaf without its decided branches and the code that only they needed,
// if the verifier proves the texts equal. Otherwise it returns the unchanged text.
func cleared(k *il.Kernel) ([]byte, error) {
	text := il.Print(k)
	f, err := amdil.Lift(k)
	if err != nil {
		return nil, err
	}
	cleanup.Sweep(f)
	without, err := amdil.Emit(k, f)
	if err != nil || verify.CheckKernel(k, without, verify.Options{Numerics: verify.Terms}).Verdict < verify.Proved {
		return text, nil
	}
	return il.Print(without), nil
}

// decidedLaunches returns launches of k to execute, one for each set of constants. The first one is the
// launch of the options, if it is executable.
func decidedLaunches(k *il.Kernel, sets []map[string]uint32, o Options) (list []*interpreter.Case) {
	for i, set := range sets {
		l := interpreter.DefaultCase(k, o.Seed+uint64(i))
		if i == 0 && o.Kernel.Case != nil && o.Kernel.Case.Executable() == nil {
			l = o.Kernel.Case
		}
		list = append(list, withWords(l, set))
	}
	return list
}

// withWords returns c with other words of constants, by names such as cb0[3].x.
func withWords(c *interpreter.Case, set map[string]uint32) *interpreter.Case {
	for name, w := range set { // in any order: names are distinct components
		if p, err := input.ParseConstant(name + "=0"); err == nil && p.InKernel() && len(p.Comps) == 1 {
			r := p.Reg
			r.Comp = p.Comps[0]
			c = kernel.WithWord(c, r, w)
		}
	}
	return c
}
