package suite_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/ir"
)

// toy is a third dialect, with everything that the language-independent parts need from a language. A
// statement is an op, its destination and its sources, with a component for each lane:
//
//	mad r0.xy i0.xy k1.xx #0.5
//	tex r1.xyzw s0 r0.xy
//	if_gt r1.x #0
//	  mov o0.x -r1.y
//	else
//	  kill r1.x
//	endif
//	loop 4
//	  add r2.x r2.x r1.x
//	endloop
//
// Registers r, i, k and o are temporaries, inputs, constants and outputs, all unlimited. A statement reads at
// most one register other than temporaries, and its only modifier is the sign of an operand.
type toy struct{}

const (
	toyTemp ir.File = 1 + iota
	toyInput
	toyConst
	toyOutput
)

const toyFiles = " riko"

// toyOps maps the ops of the language to their costs.
var toyOps = map[ir.Op]int{
	ir.OpMov: 1, ir.OpAdd: 1, ir.OpMul: 1, ir.OpMad: 1, ir.OpMin: 1, ir.OpMax: 1, ir.OpCmp: 1, ir.OpFrc: 1, ir.OpDp3: 1,
	ir.OpRcp: 4, ir.OpFetch: 4, ir.OpKill: 1,
}

// toyNames spells the ops that have another name in the op table.
var toyNames = map[ir.Op]string{ir.OpFetch: "tex"}

var toyConds = [...]string{ir.CondGT: "gt", ir.CondEQ: "eq", ir.CondGE: "ge", ir.CondLT: "lt", ir.CondNE: "ne",
	ir.CondLE: "le"}

func (toy) Supports(op ir.Op) bool { return toyOps[op] > 0 || op == ir.OpIf || op == ir.OpLoop }

func (d toy) Encodable(in *ir.Instr) bool {
	if !d.Supports(in.Op) || in.Mods&ir.Sat != 0 || in.IsPredicated() {
		return false
	}
	var place *ir.Value
	for _, o := range in.Src {
		var first *ir.Lane
		for i := range o {
			switch l := &o[i]; {
			case l.V == nil:
				continue
			case l.Mod&^ir.Neg != 0:
				return false
			case first == nil:
				first = l
			case l.Mod != first.Mod || toyPlace(l.V) != toyPlace(first.V):
				return false
			}
		}
		if first != nil && first.V.IsLeaf() && first.V.Kind != ir.Literal {
			if place != nil && toyPlace(place) != toyPlace(first.V) {
				return false
			}
			place = first.V
		}
	}
	return true
}

// toyPlace returns the register that a leaf is read from, or its literal value.
func toyPlace(v *ir.Value) (p [4]uint32) {
	if v.IsLeaf() {
		return [4]uint32{uint32(v.Kind), v.Bits, uint32(v.Home.File), uint32(v.Home.Index)}
	}
	return p
}

func (toy) Slots(in *ir.Instr) int    { return toyOps[in.Op] }
func (toy) FlushesDenormals() bool    { return false }
func (toy) RoundsProducts() bool      { return true } // unlike Direct3D 9 and AMD IL
func (toy) Fetches(in *ir.Instr) bool { return in.Op.Has(ir.IsFetch) }
func (toy) KeepsOrig() bool           { return false }
func (toy) Launch() ir.Launch         { return nil }

func (toy) RegName(r ir.Reg) string {
	return fmt.Sprintf("%c%d.%c", toyFiles[r.File], r.Index, "xyzw"[r.Comp])
}

func (toy) FileRole(f ir.File) ir.Role {
	return [...]ir.Role{toyTemp: ir.RoleTemp, toyOutput: ir.RoleExport, 255: ir.RoleOther}[f]
}

// toyLifter reads the language.
type toyLifter struct {
	f     *ir.Func
	lines [][]string
	at    int
	env   map[ir.Reg]*ir.Value
}

func liftToy(text string) (f *ir.Func, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v in\n%s", r, text)
		}
	}()
	l := &toyLifter{f: ir.NewFunc("toy", toy{}), env: map[ir.Reg]*ir.Value{}}
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 0 {
			l.lines = append(l.lines, words)
		}
	}
	l.block(l.f.Body)
	for _, r := range toySorted(l.env, nil) {
		if r.File == toyOutput {
			l.f.Outs = append(l.f.Outs, ir.Output{Reg: r, V: l.env[r]})
		}
	}
	return l.f, nil
}

// toySorted lists the registers that either of two environments has.
func toySorted(a, b map[ir.Reg]*ir.Value) (regs []ir.Reg) {
	for _, env := range []map[ir.Reg]*ir.Value{a, b} {
		for r := range env { // sorted below
			if !slices.Contains(regs, r) {
				regs = append(regs, r)
			}
		}
	}
	slices.SortFunc(regs, func(a, b ir.Reg) int { return strings.Compare(toy{}.RegName(a), toy{}.RegName(b)) })
	return regs
}

// block reads statements up to the end of the block, which it returns.
func (l *toyLifter) block(r *ir.Region) (end string) {
	for l.at < len(l.lines) {
		words := l.lines[l.at]
		l.at++
		in := &ir.Instr{Orig: -1}
		switch name, cond, _ := strings.Cut(words[0], "_"); name {
		case "else", "endif", "endloop":
			return name
		case "if":
			in.Op, in.Cond = ir.OpIf, ir.Cond(slices.Index(toyConds[:], cond))
			in.Src = []ir.Operand{l.operand(words[1], 1), l.operand(words[2], 1)}
			l.branch(in)
		case "loop":
			n, err := strconv.Atoi(words[1])
			if err != nil {
				panic(err)
			}
			in.Op, in.Src = ir.OpLoop, []ir.Operand{ir.Splat(ir.Lane{V: l.f.Const(uint32(n))})}
			l.loop(in)
		default:
			l.statement(in, words)
		}
		r.Code = append(r.Code, in)
	}
	return ""
}

func (l *toyLifter) branch(in *ir.Instr) {
	before := l.env
	var ends [2]map[ir.Reg]*ir.Value
	for side, end := 0, "else"; side < 2; side++ {
		l.env = toyCopy(before)
		in.Sub = append(in.Sub, &ir.Region{})
		if end == "else" { // if there is one
			end = l.block(in.Sub[side])
		}
		ends[side] = l.env
	}
	l.env = toyCopy(before)
	for _, reg := range toySorted(ends[0], ends[1]) {
		a, b := l.read(ends[0], reg), l.read(ends[1], reg)
		if a == b {
			l.env[reg] = a
			continue
		}
		v := l.f.NewValue(ir.Result, reg)
		v.Def = in
		in.Results = append(in.Results, v)
		in.Sub[0].Results, in.Sub[1].Results = append(in.Sub[0].Results, a), append(in.Sub[1].Results, b)
		l.env[reg] = v
	}
}

// loop carries every register that has been written or is in the body.
func (l *toyLifter) loop(in *ir.Instr) {
	written := toyCopy(l.env)
	for at, depth := l.at, 1; depth > 0; at++ {
		switch words := l.lines[at]; words[0] {
		case "loop":
			depth++
		case "endloop":
			depth--
		case "kill", "else", "endif":
		default:
			if !strings.HasPrefix(words[0], "if") {
				for _, r := range toyRegs(words[1]) {
					written[r] = nil
				}
			}
		}
	}
	body, carried := &ir.Region{}, toySorted(written, nil)
	in.Sub = []*ir.Region{body}
	for _, reg := range carried {
		in.Args = append(in.Args, l.read(l.env, reg))
		p := l.f.NewValue(ir.Param, reg)
		body.Params = append(body.Params, p)
		l.env[reg] = p
	}
	l.block(body)
	for _, reg := range carried {
		body.Results = append(body.Results, l.env[reg])
		v := l.f.NewValue(ir.Result, reg)
		v.Def = in
		in.Results = append(in.Results, v)
		l.env[reg] = v
	}
}

func toyCopy(env map[ir.Reg]*ir.Value) map[ir.Reg]*ir.Value {
	c := map[ir.Reg]*ir.Value{}
	for r, v := range env {
		c[r] = v
	}
	return c
}

func (l *toyLifter) statement(in *ir.Instr, words []string) {
	for op := range toyOps {
		if toyName(op) == words[0] {
			in.Op = op
		}
	}
	if in.Op == ir.OpInvalid {
		panic("unknown op " + words[0])
	}
	rest, mask := words[1:], uint8(0)
	var to []ir.Reg
	if in.Op != ir.OpKill {
		to, rest = toyRegs(rest[0]), rest[1:]
		for _, r := range to {
			mask |= 1 << r.Comp
		}
	}
	if in.Op.Has(ir.IsFetch) {
		unit, err := strconv.Atoi(rest[0][1:])
		if err != nil {
			panic(err)
		}
		in.Res, rest = ir.Resource{Unit: uint8(unit), Dim: ir.Dim2D}, rest[1:]
	}
	for s, word := range rest {
		reads := uint8(1) // a kill, which shows it by its argument
		if in.Op != ir.OpKill {
			reads = in.ReadsFor(s, mask)
		}
		in.Src = append(in.Src, l.operand(word, reads))
	}
	for _, r := range to {
		l.env[r] = l.f.Define(in, int(r.Comp), r)
	}
}

func toyName(op ir.Op) string {
	if name, ok := toyNames[op]; ok {
		return name
	}
	return op.String()
}

// toyRegs reads r0.xy.
func toyRegs(word string) (regs []ir.Reg) {
	name, comps, _ := strings.Cut(word, ".")
	n, err := strconv.Atoi(name[1:])
	file := strings.IndexByte(toyFiles, name[0])
	if err != nil || file < 1 {
		panic("bad register " + word)
	}
	for _, c := range comps {
		regs = append(regs, ir.Reg{File: ir.File(file), Index: uint16(n), Comp: uint8(strings.IndexRune("xyzw", c))})
	}
	return regs
}

// operand reads an operand whose components are for the lanes in mask, in order.
func (l *toyLifter) operand(word string, mask uint8) (o ir.Operand) {
	name, negated := strings.CutPrefix(word, "-")
	lane := ir.Lane{}
	if negated {
		lane.Mod = ir.Neg
	}
	var regs []ir.Reg
	if name[0] == '#' {
		x, err := strconv.ParseFloat(name[1:], 32)
		if err != nil {
			panic(err)
		}
		lane.V = l.f.Const(math.Float32bits(float32(x)))
	} else {
		regs = toyRegs(name)
	}
	for i, k := 0, 0; i < 4; i++ {
		if mask>>i&1 == 0 {
			continue
		}
		if regs != nil {
			lane.V = l.read(l.env, regs[k])
			k++
		}
		o[i] = lane
	}
	return o
}

// read returns the value of a register.
func (l *toyLifter) read(env map[ir.Reg]*ir.Value, r ir.Reg) *ir.Value {
	switch v := env[r]; {
	case r.File == toyInput:
		return l.f.Leaf(ir.Input, r)
	case r.File == toyConst:
		return l.f.Leaf(ir.Uniform, r)
	case v == nil:
		return l.f.Leaf(ir.Undef, r)
	default:
		return v
	}
}
