package kernel

import (
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/il"
)

// Program is a kernel in the form that the machine runs. It is immutable, so goroutines may share it.
//
// The register file is an array of slots. A slot is a word for every lane of a batch, with the lanes
// adjacent (structure of arrays), so a step is a loop over a slice. Slots hold registers of the kernel,
// inputs, constants, literals and intermediate results.
type Program struct {
	stage il.Stage
	// The code: the main program, functions by number, and the number of statements.
	main  []stmt
	funcs [][]stmt
	stmts int

	slots int // the size of the register file
	// registers counts the first slots: temporaries, arrays, addresses and outputs. Inputs, constants,
	// literals and the temporaries of instructions follow.
	registers int
	// named lists the registers with unspecified initial values (Options.Unwritten); outputs are not among
	// them.
	named     []span
	inputs    []inputSlot
	outputs   []outputSlot
	literals  []literalSlot
	constants []constantSlot

	resources map[int]il.TexType
	views     []view
	local     []localMemory
	group     [3]int // threads
	tiled     bool   // groups tile the domain
	// grouped makes a group a batch, because its threads synchronize or share memory.
	grouped  bool
	quads    bool // batches are quads of pixels
	discards bool
	global   bool
	stores   bool // invocations can see each other's stores
}

// slot is a location in the register file: one word per lane of a batch, with adjacent lanes.
type slot int32

// span locates a register or an array of registers: its first slot and their number.
type span struct {
	reg il.Reg
	at  slot
	n   int
}

// inputSlot is a component that is set at the start of a batch.
type inputSlot struct {
	at   slot
	reg  il.Reg
	comp int
}

// outputSlot is a component of an output.
type outputSlot struct {
	at   slot
	reg  il.Reg
	comp int
}

// literalSlot is a slot that holds the same word in every lane throughout the launch.
type literalSlot struct {
	at   slot
	word uint32
}

// constantSlot is a component of a constant of a buffer or of i#.
type constantSlot struct {
	at    slot
	reg   il.Reg
	index uint32
	comp  int
}

// Limits of a program, which bound the memory of a batch.
const (
	maxSlots    = 1 << 18
	maxFile     = 1 << 24 // words of registers
	maxGroup    = il.MaxGroup
	maxLocal    = 1 << 20 // bytes of local memory
	maxDepth    = 256     // of nested blocks
	defaultSize = 64      // threads of a group without a declaration
)

// compiler is the state of one Compile. After the first error, stored in err, compilation continues, but
// its result is invalid.
type compiler struct {
	*Program
	k *il.Kernel
	// apart makes every instruction a separate statement, for traces.
	apart bool
	pc    int
	depth int
	regs  map[il.Reg]slot // first of four slots; of the elements for an array
	sizes map[il.Reg]int  // of arrays
	// Allocated slots of literals, of constants and, in temps, of intermediate results, which statements
	// share.
	lits     map[uint32]slot // by word
	consts   map[constantSlot]slot
	position map[il.Reg]bool // inputs with the position of the pixel
	texels   map[int]bool    // resources whose coordinates count elements
	labels   map[uint32]int
	temps    []slot
	words    map[il.Reg][4]uint32 // of literals
	err      *asm.Diag
}

// Compile translates a kernel. The error is an *asm.Diag or asm.Diags: the kernel breaks a rule of
// il.Check, or has a statement that cannot be executed.
func Compile(k *il.Kernel) (*Program, error) { return compileAs(k, false) }

// compileAs compiles a kernel. If apart is set, every instruction is a separate statement.
func compileAs(k *il.Kernel, apart bool) (*Program, error) {
	if err := il.Check(k).Err(); err != nil {
		return nil, err
	}
	c := &compiler{
		Program:  &Program{stage: k.Stage, resources: map[int]il.TexType{}, group: [3]int{defaultSize, 1, 1}},
		k:        k,
		apart:    apart,
		regs:     map[il.Reg]slot{},
		sizes:    map[il.Reg]int{},
		lits:     map[uint32]slot{},
		consts:   map[constantSlot]slot{},
		position: map[il.Reg]bool{},
		texels:   map[int]bool{},
		labels:   map[uint32]int{},
		words:    map[il.Reg][4]uint32{},
	}
	c.declarations()
	c.registerFile()
	c.compileProgram()
	c.localMemory()
	// The memory of a batch is slots times lanes.
	if n := c.slots * c.lanes(); n > maxFile {
		c.fail(&k.Insts[0], "too-many-registers", "the registers of a batch are %d words, of %d at most", n, maxFile)
	}
	if c.err != nil {
		return nil, c.err
	}
	return c.Program, nil
}

// fail records the first error.
func (c *compiler) fail(in *il.Inst, code asm.Code, format string, args ...any) {
	if c.err == nil {
		c.err = asm.Errorf(in.Pos, code, format, args...)
	}
}

// declarations collects all declarations, wherever they are.
func (c *compiler) declarations() {
	for i := range c.k.Insts {
		in := &c.k.Insts[i]
		switch in.Op {
		case il.OpDclLiteral:
			c.words[in.Dst.Reg] = in.Imm
		case il.OpDclIndexedTempArray:
			if in.Imm[0] > maxConstant {
				c.fail(in, "array-size", "an array has %d elements at most", maxConstant)
				return
			}
			c.sizes[in.Dst.Reg] = int(in.Imm[0])
		case il.OpDclInput:
			if in.Ctl.Usage == il.UsagePosition {
				c.position[in.Dst.Reg] = true
			}
		case il.OpDclResource:
			c.resources[int(in.Ctl.ID)] = in.Ctl.Tex
			c.texels[int(in.Ctl.ID)] = in.Ctl.Unnorm
		case il.OpDclNumThreadPerGroup:
			c.groupSize(in)
		case il.OpDclOutput, il.OpDclODepth:
			reg := in.Dst.Reg
			if in.Op == il.OpDclODepth {
				reg = il.Reg{File: il.Depth}
			}
			if reg.File == il.Output && reg.Num >= Outputs {
				c.fail(in, "output-range", "outputs are o0 to o%d", Outputs-1)
			}
		case il.OpDclRawUav, il.OpDclArenaUav, il.OpDclUav, il.OpDclStructUav:
			c.declareView(in)
		case il.OpDclGds, il.OpDclStructGds, il.OpDclLds, il.OpDclStructLds, il.OpDclLdsSizePerThread, il.OpDclLdsSharingMode:
			c.declareLocal(in)
		}
	}
}

// groupSize reads the size of a group: one number for linear groups, or two or three for groups that tile
// the domain.
func (c *compiler) groupSize(in *il.Inst) {
	c.tiled = in.NImm > 1
	total := 1
	for i := range c.group {
		n := 1
		if i < int(in.NImm) {
			n = int(in.Imm[i])
		}
		if n < 1 || n > maxGroup || total*n > maxGroup {
			c.fail(in, "group-size", "a group has 1 to %d threads", maxGroup)
			return
		}
		c.group[i] = n
		total *= n
	}
}

// groupThreads returns the number of threads in a group.
func (p *Program) groupThreads() int { return p.group[0] * p.group[1] * p.group[2] }

// lanes returns the size of a batch: 64, or the group size rounded up to a multiple of 64.
func (p *Program) lanes() int {
	if !p.grouped {
		return Lanes
	}
	return (p.groupThreads() + Lanes - 1) / Lanes * Lanes
}

// registerFile assigns slots to every register that occurs in the kernel, including index registers: four,
// or four for each element of an array.
func (c *compiler) registerFile() {
	var order []il.Reg
	seen := map[il.Reg]bool{}
	add := func(r il.Reg) {
		if !seen[r] {
			seen[r] = true
			order = append(order, r)
		}
	}
	var index func(a il.Addr)
	index = func(a il.Addr) {
		if a.Rel != nil {
			add(a.Rel.Reg)
			index(a.Rel.Addr)
		}
	}
	for i := range c.k.Insts {
		in := &c.k.Insts[i]
		switch in.Op {
		case il.OpTranspose:
			for n := range uint16(4) {
				add(il.Reg{File: in.Dst.File, Num: in.Dst.Num + n})
				add(il.Reg{File: in.Src[0].File, Num: in.Src[0].Num + n})
			}
		case il.OpDclODepth:
			add(il.Reg{File: il.Depth})
		}
		if in.HasDst {
			add(in.Dst.Reg)
			index(in.Dst.Addr)
		}
		for s := range in.Sources() {
			add(in.Src[s].Reg)
			index(in.Src[s].Addr)
		}
	}
	for _, r := range order {
		n := 0
		switch r.File {
		case il.Temp, il.Output, il.Address, il.Depth, il.SampleMask:
			n = 4
		case il.TempArray:
			n = 4 * c.sizes[r]
		}
		if n > 0 {
			c.regs[r] = c.allocate(n)
		}
		switch output := r.File == il.Output || r.File == il.Depth || r.File == il.SampleMask; {
		case !output && n > 0:
			c.named = append(c.named, span{r, c.regs[r], n})
		case output:
			for comp := range 4 {
				c.outputs = append(c.outputs, outputSlot{c.regs[r] + slot(comp), r, comp})
			}
		}
	}
	c.registers = c.slots
}

// allocate reserves n slots and returns the first.
func (c *compiler) allocate(n int) slot {
	at := slot(c.slots)
	if c.slots += n; c.slots > maxSlots && c.err == nil {
		c.err = asm.Errorf(c.k.Insts[0].Pos, "too-many-registers", "the kernel takes more than %d words of registers",
			maxSlots)
	}
	// A valid slot number, since compilation continues after the error.
	if c.err != nil {
		c.slots, at = max(c.registers, 4), 0 // the program will not run
	}
	return at
}

// literal returns a slot that holds a word in every lane.
func (c *compiler) literal(w uint32) slot {
	at, ok := c.lits[w]
	if !ok {
		at = c.allocate(1)
		c.lits[w] = at
		c.literals = append(c.literals, literalSlot{at, w})
	}
	return at
}

// input returns a component of a register that the host or the hardware sets. An input that is declared as
// the position of the pixel is an alias of the window coordinate.
func (c *compiler) input(r il.Reg, comp int) slot {
	at, ok := c.regs[r]
	if !ok {
		at = c.allocate(4)
		c.regs[r] = at
	}
	in := inputSlot{at + slot(comp), r, comp}
	if c.position[r] {
		in.reg = il.Reg{File: il.WinCoord}
	}
	if !slices.Contains(c.inputs, in) {
		c.inputs = append(c.inputs, in)
	}
	return in.at
}

// constant returns a component of a constant with a known index.
func (c *compiler) constant(r il.Reg, index uint32, comp int) slot {
	key := constantSlot{reg: r, index: index, comp: comp}
	at, ok := c.consts[key]
	if !ok {
		at = c.allocate(1)
		c.consts[key] = at
		key.at = at
		c.constants = append(c.constants, key)
	}
	return at
}
