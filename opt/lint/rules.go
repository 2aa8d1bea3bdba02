package lint

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/fx"
	"github.com/shaderlift/shaderlift/asm/fx/preshader"
	"github.com/shaderlift/shaderlift/opt/pair"
)

// rule is a rule of a client: its code, repair and source, and one of the functions that find the places.
type rule struct {
	client         string
	code           asm.Code
	repair, source string

	program   func(c *checker, p *d3d9.Program)
	effect    func(c *checker, e *fx.Effect)
	shader    func(c *checker, e *fx.Effect, p *d3d9.Program) // a program of an effect
	preshader func(c *checker, q *preshader.Program)
}

// The sources of rules.
const (
	mojoParse = "MojoShader, mojoshader.c and its GLSL profile (hg 1314, run)"
	mojoFX    = "MojoShader, mojoshader_effects.c (run)"
	d3dxAsm   = "MSDN, the tables of registers and instructions of each shader model"
	to9       = "d3d8to9, d3d8to9_device.cpp"
	wineFX    = "Wine, d3dx9_36/effect.c and preshader.c (run)"
)

// rules returns the table of all rules, by client. It is a function, so linkers can omit it.
func rules() []rule {
	return []rule{
		{client: "mojoshader", code: "split-selector", source: mojoParse,
			repair: "write to another register and mov from it", program: everyInst(splitSelector)},
		{client: "mojoshader", code: "macro-mask", source: mojoParse,
			repair: "write to a temporary with the whole mask and mov from it", program: everyInst(macroMask)},
		{client: "mojoshader", code: "client-op", source: mojoParse,
			repair: "write the program for ps_2_0", program: everyInst(mojoLacks)},
		{client: "mojoshader", code: "index-without-table", source: mojoParse,
			repair: "keep the constant table of the compiler, with the whole array", program: mojoIndex},
		{client: "mojoshader", code: "client-predicate", source: mojoParse,
			repair: "replace it by cmp, or by if", program: everyInst(predicated)},
		{client: "mojoshader", code: "uninitialized-register", source: mojoParse,
			repair: "write to the register first, for example mov r0, c0", program: neverWritten},
		{client: "mojoshader", source: mojoParse, program: mojoOperands},
		{client: "mojoshader", code: "unknown-parameter", source: mojoFX,
			repair: "declare it in the effect, or remove it from the table", shader: unknownParameter},
		{client: "mojoshader", code: "preshader-outputs", source: mojoFX,
			repair: "compute the condition in the shader, or set it in the application", preshader: preshaderBools},
		{client: "mojoshader", code: "preshader-op", source: mojoFX,
			repair: "compute it in the application", preshader: preshaderUnknown(preshader.MojoShader)},
		{client: "mojoshader", code: "preshader-value", source: mojoFX,
			repair: "compute it in the application", preshader: preshaderDiffers},

		{client: "d3dx", source: d3dxAsm, program: validated(func(asm.Code, d3d9.Op, d3d9.Model) bool { return true })},
		{client: "d3dx", code: "preshader-form", source: wineFX,
			repair: "compile the effect again with fxc", preshader: preshaderForm},

		{client: "d3d8to9", code: "client-model", source: to9,
			repair: "write the program for vs_1_1, or ps_1_1 to ps_1_4", program: onlyFirstModels},
		{client: "d3d8to9", code: "constant-modifier", source: to9,
			repair: "copy the constant to a temporary first (mov r1, c0)", program: constantModifiers},
		{client: "d3d8to9", code: "initial-value", source: to9,
			repair: "write to the register first", program: startsWithC0},
		{client: "d3d8to9", source: to9, program: validated(refusedByD3D8to9)},

		{client: "wine", code: "co-issued-cnd", source: "Wine, wined3d/glsl_shader.c (shader_glsl_cnd)",
			repair: "remove the + before it", program: everyInst(coIssuedCnd)},
		{client: "wine", code: "preshader-form", source: wineFX,
			repair: "compile the effect again with fxc", preshader: preshaderForm},
		{client: "wine", code: "preshader-op", source: wineFX,
			repair: "compute it in the application", preshader: preshaderUnknown(preshader.D3DX)},
		{client: "wine", code: "effect-wrapper", source: wineFX,
			repair: "remove the header of XNA, which begins with CF 0B F0 BC", effect: wrapped},
	}
}

// everyInst returns a function that calls f for each statement.
func everyInst(f func(c *checker, p *d3d9.Program, in *d3d9.Inst)) func(*checker, *d3d9.Program) {
	return func(c *checker, p *d3d9.Program) {
		for i := range p.Insts {
			f(c, p, &p.Insts[i])
		}
	}
}

// splitSelector finds a cmp or cnd that MojoShader takes apart: it assigns one component of the selector after the
// other, and a later assignment reads what an earlier one has written.
func splitSelector(c *checker, p *d3d9.Program, in *d3d9.Inst) {
	if in.Op != d3d9.OpCmp && in.Op != d3d9.OpCnd {
		return
	}
	var order []uint8 // components of the selector, in the order of the assignments
	for lane := range 4 {
		if s := uint8(in.Src[0].Swz.ComponentAt(lane)); in.Dst.Mask.Has(lane) && !slices.Contains(order, s) {
			order = append(order, s)
		}
	}
	var written d3d9.Mask
	for _, selector := range order {
		var now d3d9.Mask
		for lane := range 4 {
			if !in.Dst.Mask.Has(lane) || uint8(in.Src[0].Swz.ComponentAt(lane)) != selector {
				continue
			}
			now |= 1 << lane
			for _, s := range in.Sources() {
				if s.Reg == in.Dst.Reg && written.Has(int(s.Swz.ComponentAt(lane))) {
					c.found(in.Pos, "", "", "%s reads components of %s after it has written them", in.Op, in.Dst.Reg)
					return
				}
			}
		}
		written |= now
	}
}

// masks are the masks that MojoShader needs for instructions of several rows.
var masks = map[d3d9.Op]d3d9.Mask{d3d9.OpM3x3: 7, d3d9.OpM4x3: 7, d3d9.OpM3x2: 3, d3d9.OpM3x4: 15, d3d9.OpM4x4: 15}

func macroMask(c *checker, p *d3d9.Program, in *d3d9.Inst) {
	want := masks[in.Op]
	if want == 0 {
		want = in.Op.Translatable()
	}
	if want != 0 && in.Dst.Mask != want {
		c.found(in.Pos, "", "", "%s needs the mask .%s", in.Op, "xyzw"[:want.Count()])
	}
}

// mojoLacks finds instructions that MojoShader does not translate.
func mojoLacks(c *checker, p *d3d9.Program, in *d3d9.Inst) {
	switch in.Op {
	case d3d9.OpTexReg2ar, d3d9.OpTexReg2gb, d3d9.OpTexReg2rgb, d3d9.OpTexDp3, d3d9.OpTexDp3tex, d3d9.OpTexM3x2depth,
		d3d9.OpTexM3x3, d3d9.OpTexDepth, d3d9.OpBem, d3d9.OpTexCoord, d3d9.OpTexCrd, d3d9.OpTexld14:
		c.found(in.Pos, "", "", "MojoShader does not translate %s of %s", in.Op, p.Model)
	}
}

// mojoIndex finds indexed registers that MojoShader does not know the array of, and indexed inputs.
func mojoIndex(c *checker, p *d3d9.Program) {
	table, _ := p.ConstantTable()
	everyInst(func(c *checker, p *d3d9.Program, in *d3d9.Inst) {
		for _, s := range in.Sources() {
			switch {
			case s.Rel.File == d3d9.NoFile:
			case s.File == d3d9.Input:
				c.found(in.Pos, "", "read the inputs without an index", "MojoShader has no indexed inputs")
			case table.Lookup(s.Reg) == nil:
				c.found(in.Pos, "", "", "no entry of a constant table has %s, which is read with an index", s.Reg)
			}
		}
	})(c, p)
}

func predicated(c *checker, p *d3d9.Program, in *d3d9.Inst) {
	switch {
	case !in.HasPred:
	case in.Op == d3d9.OpTexKill:
		c.found(in.Pos, "", "", "MojoShader ignores the predicate of texkill")
	default:
		c.found(in.Pos, "", "", "MojoShader refuses instructions with a predicate")
	}
}

// mojoOperands finds operands that other clients accept.
func mojoOperands(c *checker, p *d3d9.Program) {
	declared := map[d3d9.Reg]bool{}
	everyInst(func(c *checker, p *d3d9.Program, in *d3d9.Inst) {
		if in.Op == d3d9.OpDcl {
			declared[in.Dst.Reg] = true
		}
		if in.Dst.Mods&d3d9.Centroid != 0 {
			c.found(in.Pos, "client-op", "remove it", "MojoShader translates no _centroid to GLSL")
		}
		for _, s := range in.Sources() {
			switch {
			case s.File == d3d9.Misc && !declared[s.Reg]:
				c.found(in.Pos, "undeclared-builtin", repairs["undeclared-builtin"], "%s is not declared", s.Reg)
			case s.Swz.IsReplicate():
			case in.Op == d3d9.OpRcp, in.Op == d3d9.OpRsq, in.Op == d3d9.OpLog, in.Op == d3d9.OpLogp:
				c.found(in.Pos, "scalar-swizzle", repairs["scalar-swizzle"], "%s needs one component of %s", in.Op, s.Reg)
			}
		}
	})(c, p)
}

// neverWritten finds reads of temporaries that no statement above has written. MojoShader tracks whole registers, and
// counts the destination of the statement itself. That of texkill is the register that it tests.
func neverWritten(c *checker, p *d3d9.Program) {
	written := map[d3d9.Reg]bool{}
	for i := range p.Insts {
		in := &p.Insts[i]
		written[in.Dst.Reg] = true
		for _, s := range in.Sources() {
			if s.File == d3d9.Temp && !written[s.Reg] {
				written[s.Reg] = true // one finding for a register
				c.found(in.Pos, "", "", "no statement above writes to %s", s.Reg)
			}
		}
	}
}

// validated returns a function that reports the broken rules of the model that the assembler of D3DX enforces.
func validated(some func(asm.Code, d3d9.Op, d3d9.Model) bool) func(*checker, *d3d9.Program) {
	return func(c *checker, p *d3d9.Program) {
		ops := map[asm.Pos]d3d9.Op{}
		for i := range p.Insts {
			ops[p.Insts[i].Pos] = p.Insts[i].Op
		}
		all := d3d9.Validate(p)
		wrong, large := pair.Classify(all)
		enforced := append(wrong, large...)
		for _, d := range all {
			if d3d9.AssemblerRefuses(d.Code) {
				enforced = append(enforced, d)
			}
		}
		for _, d := range enforced {
			if some(d.Code, ops[d.Pos], p.Model) {
				repair := repairs[d.Code]
				if repair == "" {
					repair = "see the reference of " + p.Model.String()
				}
				c.found(d.Pos, d.Code, repair, "%s", d.Msg)
			}
		}
	}
}

// repairs are the repairs of rules of shader models.
var repairs = map[asm.Code]string{
	"uninitialized-register": "write to the register first (mov or, in ps_1_1 to ps_1_3, tex)",
	"undefined-register":     "write to it first (in ps_1_1 to ps_1_3, tex loads a texture register)",
	"partly-initialized":     "write to the register before the branch",
	"undeclared-builtin":     "declare it (dcl vPos.xy or dcl vFace)",
	"undeclared-register":    "declare it",
	"unwritten-output":       "write to all components",
	"read-ports":             "copy all but one to temporaries first",
	"constant-reads":         "copy all but one to temporaries first",
	"source-swizzle":         "mov the components to a temporary in that order",
	"output-write":           "write to a temporary, and mov from it",
	"scalar-output":          "select one component of the source, such as r0.x",
	"scalar-swizzle":         "select one component, such as r0.x",
	"temporary-limit":        "run shaderlift opt, which shares registers",
	"arithmetic-limit":       "run shaderlift opt --fit with the model",
	"slot-limit":             "run shaderlift opt --fit with the model",
	"texture-limit":          "run shaderlift opt --fit with the model",
	"texture-dependency":     "run shaderlift opt --fit with the model",
	"write-mask":             "write to all components of rgb, to a, or to both",
	"register-range":         "use a register that the model has",
}

func onlyFirstModels(c *checker, p *d3d9.Program) {
	if p.Model.Major > 1 {
		c.found(asm.Pos{File: c.file, Line: 1, Col: 1}, "", "", "d3d8to9 refuses %s", p.Model)
	}
}

// constantModifiers finds modified constants of ps_1_x that d3d8to9 does not replace, so that they stay. It
// replaces add of a negated constant by sub. If an arithmetic slot is left, it loads the constant into the
// destination first, unless the instruction reads that.
func constantModifiers(c *checker, p *d3d9.Program) {
	slots := d3d9.Measure(p).Arithmetic
	everyInst(func(c *checker, p *d3d9.Program, in *d3d9.Inst) {
		if p.Model.Stage != d3d9.Pixel || p.Model.Major > 1 {
			return
		}
		for k, s := range in.Sources() {
			negated := in.Op == d3d9.OpAdd && k == 1 && s.Mod == d3d9.ModNeg
			if s.File != d3d9.Const || s.Mod == d3d9.ModNone || negated {
				continue
			}
			used := slices.ContainsFunc(in.Sources(), func(o d3d9.Src) bool { return o.Reg == in.Dst.Reg })
			switch {
			case slots >= p.Model.Limits().Arithmetic:
				c.found(in.Pos, "", "", "%s has a modifier, and no slot is left to copy it", s.Reg)
			case used:
				c.found(in.Pos, "", "", "%s has a modifier, and %s reads the destination, into which d3d8to9 would copy it",
					s.Reg, in.Op)
			}
		}
	})(c, p)
}

// startsWithC0 finds reads of temporaries of vertex programs before a write: d3d8to9 copies c0 to each.
func startsWithC0(c *checker, p *d3d9.Program) {
	if p.Model.Stage != d3d9.Vertex || p.Model.Major > 1 {
		return
	}
	for _, d := range d3d9.Validate(p) {
		if d.Code == d3d9.Uninitialized || d.Code == d3d9.PartlyInitialized {
			c.found(d.Pos, "", "", "%s; d3d8to9 copies c0 to it", d.Msg)
		}
	}
}

// refusedByD3D8to9 reports whether an error of D3DX remains after the repairs of d3d8to9. op is of its statement.
func refusedByD3D8to9(code asm.Code, op d3d9.Op, m d3d9.Model) bool {
	if m.Major > 1 {
		return false
	}
	switch vertex := m.Stage == d3d9.Vertex; code {
	case d3d9.Uninitialized, d3d9.PartlyInitialized: // see startsWithC0
		return !vertex
	case "undeclared-register": // it adds declarations from the vertex format
		return !vertex
	case "scalar-output":
		return !slices.Contains([]d3d9.Op{d3d9.OpMov, d3d9.OpAdd, d3d9.OpSub, d3d9.OpMul, d3d9.OpMin, d3d9.OpMax}, op)
	case "register-overlap": // it copies the source of a matrix product
		return masks[op] == 0
	}
	return true
}

func coIssuedCnd(c *checker, p *d3d9.Program, in *d3d9.Inst) {
	if in.Op == d3d9.OpCnd && in.CoIssue && in.Dst.Mask != 8 && p.Model != d3d9.PS14 {
		c.found(in.Pos, "", "", "a co-issued cnd yields its second operand")
	}
}

func wrapped(c *checker, e *fx.Effect) {
	if e.Wrapper != nil {
		c.found(asm.Pos{File: c.file}, "", "", "Wine refuses an effect with the header of XNA")
	}
}

func unknownParameter(c *checker, e *fx.Effect, p *d3d9.Program) {
	table, _ := p.ConstantTable()
	if table == nil {
		return
	}
	known := map[string]bool{}
	for i := range e.Parameters {
		known[e.Parameters[i].Type.Name.Text] = true
	}
	for _, k := range table.Constants {
		if !known[k.Name] {
			c.found(asm.Pos{}, "", "", "the effect has no parameter %s, and MojoShader then reads beside its list",
				asm.Shown(k.Name))
		}
	}
}

func preshaderBools(c *checker, q *preshader.Program) {
	for i, what := range []string{"floats", "bools", "integers"} {
		if i > 0 && q.Outputs.Count[i] > 0 {
			c.found(asm.Pos{}, "", "", "the preshader sets %s, which MojoShader writes to c0 and c1 or refuses", what)
		}
	}
}

// preshaderForm finds structures that D3DX refuses, or does not run.
func preshaderForm(c *checker, q *preshader.Program) {
	if err := q.Check(); err != nil {
		c.found(asm.Pos{}, "", "", "%v", err)
	}
}

// preshaderUnknown returns a function that finds operations that a client does not run.
func preshaderUnknown(client preshader.Client) func(*checker, *preshader.Program) {
	return func(c *checker, q *preshader.Program) {
		bools := q.Outputs.Count[1]+q.Outputs.Count[2] > 0 // see preshaderBools
		if _, err := preshader.Run(q, nil, client); err != nil && !(bools && client == preshader.MojoShader) {
			c.found(asm.Pos{}, "", "", "%v of the preshader", err)
		}
	}
}

// preshaderDiffers compares the results of MojoShader with those of D3DX, for which the effect was compiled. exp
// and log have other bases, which cancel in powers.
func preshaderDiffers(c *checker, q *preshader.Program) {
	const (
		runs      = 8
		registers = 256
		tolerance = 1e-3
	)
	random := rand.New(rand.NewPCG(1, 2))
	for range runs {
		in := make([]float32, 4*registers)
		for i := range in {
			in[i] = 0.1 + random.Float32()
		}
		want, err := preshader.Run(q, in, preshader.D3DX)
		got, err2 := preshader.Run(q, in, preshader.MojoShader)
		if err != nil || err2 != nil {
			return
		}
		for at, x := range want.Float {
			if y := got.Float[at]; math.Abs(float64(x-y)) > tolerance*(1+math.Abs(float64(x))) {
				c.found(asm.Pos{}, "", "", "the preshader computes other values in MojoShader than in D3DX (exp, log or rsq)")
				return
			}
		}
	}
}
