package suite

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/algebra"
	"github.com/shaderlift/shaderlift/passes/cleanup"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/passes/combine"
	"github.com/shaderlift/shaderlift/passes/fetches"
	"github.com/shaderlift/shaderlift/passes/ifconvert"
	"github.com/shaderlift/shaderlift/passes/local"
	"github.com/shaderlift/shaderlift/passes/placement"
	"github.com/shaderlift/shaderlift/passes/vectorize"
	"github.com/shaderlift/shaderlift/regalloc/merge"
	"github.com/shaderlift/shaderlift/unroll"
)

// Passes is the table of all passes, by name.
var Passes = table()

func table() []*passes.Pass {
	list := []*passes.Pass{
		unroll.BreakDeps,
		codemotion.Pass,
		combine.Pass,
		cleanup.Copyprop,
		cleanup.DCE,
		algebra.Factor,
		algebra.Reassociate,
		ifconvert.Flatten,
		algebra.Fold,
		fetches.Group,
		cleanup.GVN,
		ifconvert.Pass,
		cleanup.Leaves,
		merge.Pass,
		vectorize.Pack,
		vectorize.Permute,
		unroll.Preload,
		codemotion.Recompute,
		placement.Remat,
		vectorize.SelectLanes,
		placement.Sink,
		unroll.Unroll,
		unroll.Unswitch,
		codemotion.Varyings,
		vectorize.Pass,
	}
	if asm.BuiltKernels { // only for launched kernels
		list = append(list, unroll.Accumulate, unroll.Local, unroll.Restrict, unroll.Stage, coarsen.Pass, fetches.Images,
			fetches.Vectorize, fetches.Words, local.Pass)
	}
	slices.SortFunc(list, func(a, b *passes.Pass) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// The pieces that levels are made of.
const (
	// Two stages of one pass: if the bolder one does not pay it is reverted, and the second still makes the
	// safe rewrites.
	share = "gvn{mixed=true},gvn,copyprop{mixed=true},copyprop"
	// Passes that join instructions, then cleanup.
	join  = "sink,vectorize"
	clean = "dce," + share + ",leafprop," + join + ",dce"
	again = share + ",leafprop," + join + ",dce"
	rest  = join + ",combine-alu," + again
	// Register placement, at the end: later passes may need other registers.
	place = "group-fetches,merge-registers"
	// Components of operands, from combined instructions: before that, other passes would save the same slots.
	parts = "codemotion{parts=true}"
	all   = "fold,dce," + share + ",codemotion,varyings," + join + ",pack,factor,combine-alu," + again +
		",reassociate,dce," + parts + ",pack,fold{lanes=true},remat,permute-lanes,select-lanes," + place +
		",varyings{join=true},dce"
	// Kernels: loops first, then the code that they leave.
	kernel = "fold,dce,promote-local,preload,if-convert,unroll,fold,dce," + share + ",vectorize-memory,break-deps," + rest +
		"," + place + ",dce"
	// For GPUs: fewer values, and otherwise as few changes as possible. Their compilers unroll, share, order,
	// join and place operations themselves, so doing it before them gains nothing. But the vectors that they
	// find decide how R300 to Evergreen fill their instructions, and the input's vectors were chosen with
	// care.
	once   = "gvn,copyprop"
	values = "fold,dce," + once + ",codemotion," + parts + ",recompute,varyings,factor,combine-alu,reassociate," + once +
		",leafprop{fetches=true},dce,varyings{join=true},dce"
	plain = "fold,dce," + once + ",codemotion," + parts + ",recompute,varyings,factor,reassociate," + once + ",dce,varyings,dce"
)

// levels are the pipelines of -O0 to -O3.
var levels = [...]string{
	0: "",
	1: clean,
	2: all,
	3: all + "," + all,
}

// kernelLevels are the pipelines of kernels, which have no second stage to move code to.
var kernelLevels = [...]string{
	0: "",
	1: clean,
	2: kernel,
	3: kernel + ",break-deps{sums=2},fold,dce," + share + "," + rest + "," + place + ",dce",
}

// gpuLevels are the pipelines of programs that are priced for GPUs.
var gpuLevels = [...]string{
	0: "",
	1: "dce," + once + ",leafprop{fetches=true},dce",
	2: values,
	3: values + "," + values,
}

// valueLevels are the pipelines of programs of languages without registers. Nothing places values, and products stay
// apart from sums, which their compilers may fuse.
var valueLevels = [...]string{
	0: "",
	1: "dce," + once + ",dce",
	2: plain,
	3: plain + "," + plain,
}

// wholes are additional pipelines of the kernel levels from 2 on. The best form of a loop depends on how its
// fetches use the cache, which shows only at the end. So the whole pipeline has to pay, not each stage. The
// pipelines of a row unroll alike, each row twice as much as the one before.
var wholes = func() (rows [][]string) {
	for _, unroll := range []string{"", "unroll{factor=2},", "unroll{factor=4},"} {
		var row []string
		for _, window := range []string{"24", "all"} {
			row = append(row, "dce,"+unroll+"break-deps,combine-alu,group-fetches{window="+window+"},merge-registers,dce")
		}
		rows = append(rows, row)
	}
	return rows
}()

// opening is a prefix of the kernel pipelines, used if it saves much alone. The chains that it packs no
// longer exist once single instructions have been joined with others.
const opening = "dce,pack,dce"

// apart is a prefix of the kernel pipelines for kernels with branches that can move out of loops. It costs code, and
// estimates do not show how often the invocations of a wavefront take both sides.
const apart = "fold,dce,preload,unswitch,dce"

// least are pipelines to try if a simulation shows that a kernel loses the estimated gain of the passes, or
// gains little and waits for fetches.
var least = []string{"combine-alu,dce", "merge-registers,dce",
	"dce,break-deps,combine-alu,group-fetches,merge-registers,dce", clean}

// order lists pairs of passes whose first runs must have this order in every level that has both. It
// documents the levels above and is checked against them; it does not change them.
var order = []struct{ first, then, why string }{
	{"fold", "dce", "folding leaves dead code"},
	{"dce", "gvn", "dead readers make reuse look more expensive"},
	{"dce", "codemotion", "dead values must not take interpolators"},
	{"gvn", "codemotion", "equal operands would move twice and take two interpolators"},
	{"codemotion", "recompute", "code motion reduces the interpolated components"},
	{"recompute", "varyings", "recomputed values need no varying"},
	{"codemotion", "varyings", "moved code no longer needs the varyings that it read"},
	{"codemotion", "sink", "codemotion finds operands by the place of their computation"},
	{"codemotion", "vectorize", "codemotion would split joined instructions"},
	{"codemotion", "combine-alu", "a merged product and sum cannot move separately"},
	{"dce", "preload", "dead code must not take registers"},
	{"promote-local", "preload", "words in registers are not loaded"},
	{"promote-local", "vectorize-memory", "words in registers are not loaded"},
	{"preload", "unroll", "each copy of a loop would have its invariant code"},
	{"preload", "unswitch", "a condition that moves alone costs nothing"},
	{"unswitch", "unroll", "branches in a loop make its copies large"},
	{"dce", "unroll", "dead code must not count in the size of a loop"},
	{"unroll", "gvn", "unrolled trips have common subexpressions"},
	{"unroll", "vectorize-memory", "successive trips access neighbouring words"},
	{"unroll", "vectorize-fetches", "successive trips fetch neighbouring elements"},
	{"unroll", "break-deps", "unrolled trips wait for each other"},
	{"break-deps", "group-fetches", "a fetch cannot move before the dependences of its coordinates"},
	{"group-fetches", "merge-registers", "early fetches take registers"},
	{"combine-alu", "merge-registers", "shared index arithmetic takes registers"},
	{"vectorize", "group-fetches", "coordinates computed by one instruction move together"},
	{"gvn", "vectorize", "equal lanes are merged instead of joined"},
	{"gvn", "leafprop", "sharing equal moves is cheaper than placing them again"},
	{"codemotion", "factor", "parts of a shared product or of a dot product cannot move"},
	{"factor", "combine-alu", "a product that is merged with a sum is not shared"},
	{"vectorize", "remat", "a joined instruction costs no more than one of its lanes"},
	{"gvn", "remat", "gvn would merge the recomputed values again"},
	{"remat", "group-fetches", "fetches whose coordinates take turns in a register cannot be grouped"},
	{"vectorize", "permute-lanes", "vectorize would join the split instructions again"},
	{"vectorize", "pack", "joins without moves come first"},
	{"pack", "factor", "packed products share a factor as one product"},
	{"fold", "select-lanes", "fold would remove the selects"},
	{"vectorize", "select-lanes", "lanes of one register need no select"},
	{"remat", "select-lanes", "recomputed coordinates need neither a select nor its register"},
	{"select-lanes", "merge-registers", "a select takes a register"},
	{"pack", "permute-lanes", "packing determines components, which must stay readable"},
	{"permute-lanes", "merge-registers", "registers are shared by component"},
	{"sink", "vectorize", "values that take turns in a register can be joined with others"},
}

func init() {
	list := slices.Concat(levels[:], gpuLevels[:], valueLevels[:])
	if asm.BuiltKernels {
		list = slices.Concat(list, kernelLevels[:], slices.Concat(wholes...), least, []string{opening, apart})
	}
	for _, src := range list {
		if err := check(mustParse(src)); err != nil {
			panic("suite: " + err.Error())
		}
	}
}

func mustParse(src string) passes.Pipeline {
	known, ok := parsed.Load(src)
	if !ok {
		p, err := passes.Parse(src, Passes)
		if err != nil {
			panic("suite: " + err.Error())
		}
		known, _ = parsed.LoadOrStore(src, p)
	}
	return slices.Clone(known.(passes.Pipeline))
}

// parsed caches the pipelines of levels by their text: every input asks for some.
var parsed sync.Map

// check returns the first violation of order in p: passes whose first runs are in the wrong order, or a
// pipeline that does not end with dead code elimination.
func check(p passes.Pipeline) error {
	first := func(name string) int {
		return slices.IndexFunc(p, func(s passes.Stage) bool { return s.Pass.Name == name })
	}
	for _, o := range order {
		if a, b := first(o.first), first(o.then); a >= 0 && b >= 0 && a > b {
			return fmt.Errorf("%s must run before %s: %s", o.first, o.then, o.why)
		}
	}
	if len(p) > 0 && p[len(p)-1].Pass != cleanup.DCE {
		return fmt.Errorf("the last pass is %s, not dce", p[len(p)-1].Pass.Name)
	}
	return nil
}

// MaxLevel is the highest optimization level.
const MaxLevel = len(levels) - 1

// DefaultLevel is the level that is used if none is requested.
const DefaultLevel = 2

// Level returns the pipeline of -O n. Each call returns a new copy.
func Level(n int) (passes.Pipeline, error) {
	if n < 0 || n > MaxLevel {
		return nil, fmt.Errorf("unknown level -O%d (want 0 to %d)", n, MaxLevel)
	}
	return mustParse(levels[n]), nil
}

// KernelLevel returns the pipeline of -O n for kernels.
func KernelLevel(n int) (passes.Pipeline, error) {
	if _, err := Level(n); err != nil {
		return nil, err
	}
	return mustParse(kernelLevels[n]), nil
}

// GPULevel returns the pipeline of -O n for Direct3D 9 programs that are priced for GPUs.
func GPULevel(n int) (passes.Pipeline, error) {
	if _, err := Level(n); err != nil {
		return nil, err
	}
	return mustParse(gpuLevels[n]), nil
}

// ValueLevel returns the pipeline of -O n for programs of languages without registers.
func ValueLevel(n int) (passes.Pipeline, error) {
	if _, err := Level(n); err != nil {
		return nil, err
	}
	return mustParse(valueLevels[n]), nil
}

// KernelWholes returns the pipelines that -O n tries for kernels besides [KernelLevel]. Each has to pay as a
// whole, not by stages, and the cheapest result is taken. The pipelines of a row unroll loops alike: the
// first row not at all, and each row more than the one before.
func KernelWholes(n int) (rows [][]passes.Pipeline) {
	if n < 2 {
		return nil
	}
	for _, row := range wholes {
		var list []passes.Pipeline
		for _, src := range row {
			list = append(list, mustParse(src))
		}
		rows = append(rows, list)
	}
	return rows
}

// KernelOpening returns the prefix that -O n tries before [KernelLevel].
func KernelOpening(n int) passes.Pipeline {
	if n < 2 {
		return nil
	}
	return mustParse(opening)
}

// KernelApart returns the prefix that -O n tries before [KernelLevel] for kernels with loops.
func KernelApart(n int) passes.Pipeline {
	if n < 2 {
		return nil
	}
	return mustParse(apart)
}

// KernelLeast returns the pipelines that -O n tries for kernels for which its usual pipeline does too much.
func KernelLeast(n int) (list []passes.Pipeline) {
	if n >= 2 {
		for _, src := range least {
			list = append(list, mustParse(src))
		}
	}
	return list
}

// Parse reads a pipeline over the passes of the table.
func Parse(src string) (passes.Pipeline, error) { return passes.Parse(src, Passes) }

// Lookup returns the pass of that name, or nil.
func Lookup(name string) *passes.Pass {
	for _, p := range Passes {
		if p.Name == name {
			return p
		}
	}
	return nil
}
