package ilgen

import "strings"

// class is the class of the lanes of a register. Registers are separated by class so that results are
// rarely noise: most words are NaNs, denormals or huge as floats.
type class uint8

const (
	float class = iota
	integer
	double // in pairs of lanes
	numClasses
)

// row is an instruction with its form and its weight.
type row struct {
	name string
	// form is the class of the result and, after the equals sign, of each source: f, i and d lane by lane,
	// F and I one component, V and D a vector.
	form   string
	may    modifiers // possible modifiers, and options that it depends on
	weight int       // relative to the other weights
}

type modifiers uint8

const (
	result  modifiers = 1 << iota // _x2 and similar ones, _sat, _prec
	ieee                          // _ieee
	zeroop                        // _zeroop()
	negates                       // an integer instruction that negates its sources
	approx                        // results differ between machines
	bits                          // exposes the bits of a float
)

// table holds the computing instructions. It omits those whose result the sources do not determine, such as
// noise, crs and det; dfrexp, whose lanes have different kinds; and derivatives, which need all threads.
var table = []row{
	{"mov", "f=f", result, 12}, {"add", "f=ff", result, 12}, {"sub", "f=ff", result, 5},
	{"mul", "f=ff", result | ieee, 12}, {"mad", "f=fff", result | ieee, 14}, {"fma", "f=fff", result | ieee, 2},
	{"min", "f=ff", result | ieee, 4}, {"max", "f=ff", result | ieee, 4}, {"abs", "f=f", result, 2},
	{"frc", "f=f", result, 3}, {"flr", "f=f", result, 3}, {"trc", "f=f", result, 1}, {"rnd", "f=f", result, 1}, {"sgn",
		"f=f", result, 1},
	{"round_near", "f=f", result, 2}, {"round_neginf", "f=f", result, 1}, {"round_plusinf", "f=f", result,
		1}, {"round_z", "f=f", result, 1},
	{"dp2", "f=VV", result | ieee, 3}, {"dp3", "f=VV", result | ieee, 3}, {"dp4", "f=VV", result | ieee, 4}, {"dp2add",
		"f=VVF", result, 2},
	{"len", "f=V", result | approx, 1}, {"dist", "f=VV", result | approx, 1}, {"nrm", "f=V", result | zeroop | approx,
		1}, {"reflect", "f=VV", result | approx, 1},
	{"lrp", "f=fff", result, 2}, {"clamp", "f=fff", result, 1},
	{"mod", "f=ff", result | approx, 1}, {"div", "f=ff", result | zeroop | approx, 4},
	{"rcp", "f=F", result | zeroop | approx, 3}, {"rsq", "f=F", result | zeroop | approx, 2}, {"sqrt", "f=F",
		result | approx, 2},
	{"rcp_vec", "f=f", result | zeroop | approx, 2}, {"rsq_vec", "f=f", result | zeroop | approx, 2}, {"sqrt_vec", "f=f",
		result | approx, 2},
	{"exp", "f=F", result | approx, 1}, {"log", "f=F", result | approx, 1}, {"exp_vec", "f=f", result | approx,
		2}, {"log_vec", "f=f", result | approx, 2},
	{"sin", "f=F", result | approx, 1}, {"cos", "f=F", result | approx, 1}, {"sin_vec", "f=f", result | approx,
		2}, {"cos_vec", "f=f", result | approx, 2},
	{"pow", "f=FF", result | approx, 1}, {"ln", "f=F", result | zeroop | approx, 1}, {"tan", "f=F", result | approx,
		1}, {"tan_vec", "f=f", result | approx, 1},
	{"acos", "f=f", result | approx, 1}, {"asin", "f=f", result | approx, 1}, {"atan", "f=f", result | approx, 1},
	{"eq", "i=ff", 0, 3}, {"ne", "i=ff", 0, 3}, {"lt", "i=ff", 0, 4}, {"ge", "i=ff", 0, 4},
	{"cmov_logical", "f=iff", 0, 8}, {"cmov", "f=fff", 0, 2},

	{"mov", "i=i", 0, 6}, {"cmov_logical", "i=iii", 0, 5},
	{"iadd", "i=ii", negates, 12}, {"imul", "i=ii", negates, 5}, {"imad", "i=iii", negates, 6}, {"inegate", "i=i", 0, 2},
	{"imax", "i=ii", negates, 3}, {"imin", "i=ii", negates, 3}, {"umax", "i=ii", 0, 2}, {"umin", "i=ii", 0, 2},
	{"imul_high", "i=ii", 0, 2}, {"umul", "i=ii", 0, 2}, {"umul_high", "i=ii", 0, 2}, {"umad", "i=iii", 0, 2},
	{"imul24", "i=ii", 0, 1}, {"imad24", "i=iii", 0, 1}, {"umul24", "i=ii", 0, 1}, {"umad24", "i=iii", 0, 1},
	{"udiv", "i=ii", 0, 3}, {"umod", "i=ii", 0, 3}, {"icarry", "i=ii", 0, 1}, {"iborrow", "i=ii", 0, 1},
	{"inot", "i=i", 0, 2}, {"iand", "i=ii", 0, 4}, {"and", "i=ii", 0, 1}, {"ior", "i=ii", 0, 4}, {"ixor", "i=ii", 0, 4},
	{"ishl", "i=ii", 0, 4}, {"ishr", "i=ii", 0, 4}, {"ushr", "i=ii", 0, 4},
	{"ubit_extract", "i=iii", 0, 2}, {"ibit_extract", "i=iii", 0, 2}, {"ubit_insert", "i=iiii", 0, 2}, {"bfi", "i=iii",
		0, 2},
	{"ubit_reverse", "i=i", 0, 1}, {"icbits", "i=i", 0, 1}, {"ffb_hi", "i=i", 0, 1}, {"ffb_lo", "i=i", 0, 1}, {"ffb_shi",
		"i=i", 0, 1},
	{"bitalign", "i=iii", 0, 2}, {"bytealign", "i=iii", 0, 1}, {"sad", "i=iii", 0, 1}, {"u4lerp", "i=iii", 0, 1},
	{"ieq", "i=ii", 0, 2}, {"ine", "i=ii", 0, 2}, {"ilt", "i=ii", 0, 2}, {"ige", "i=ii", 0, 2}, {"ult", "i=ii", 0,
		2}, {"uge", "i=ii", 0, 2},

	{"ftoi", "i=f", 0, 3}, {"ftou", "i=f", 0, 2}, {"itof", "f=i", 0, 4}, {"utof", "f=i", 0, 3},
	{"f2f16", "i=f", bits, 1}, {"f162f", "f=i", 0, 1}, {"unpack0", "f=i", 0, 1}, {"unpack1", "f=i", 0, 1}, {"unpack2",
		"f=i", 0, 1}, {"unpack3", "f=i", 0, 1},

	{"dadd", "d=dd", 0, 6}, {"dmul", "d=dd", 0, 6}, {"dmad", "d=ddd", 0, 8}, {"ddiv", "d=dd", approx, 2},
	{"dmin", "d=dd", 0, 2}, {"dmax", "d=dd", 0, 2}, {"dmov", "d=d", 0, 3}, {"dfrac", "d=d", 0, 1},
	{"dsqrt", "d=d", approx, 1}, {"drcp", "d=d", approx, 1}, {"drsq", "d=d", approx, 1}, {"mov", "d=d", 0, 3}, {"dmovc",
		"d=idd", 0, 1},
	{"deq", "i=DD", 0, 2}, {"dne", "i=DD", 0, 2}, {"dlt", "i=DD", 0, 2}, {"dge", "i=DD", 0, 2},
	{"f2d", "d=F", 0, 4}, {"d2f", "f=D", 0, 4}, {"dtoi", "i=D", 0, 1}, {"dtou", "i=D", 0, 1}, {"itod", "d=I", 0,
		2}, {"utod", "d=I", 0, 1},
}

var classOf = map[byte]class{'f': float, 'F': float, 'V': float, 'i': integer, 'I': integer, 'd': double, 'D': double}

// choices selects the rows that the options allow.
func (g *generator) choices() {
	for _, r := range table {
		switch {
		case g.o.NoDouble && strings.ContainsAny(r.form, "dD"),
			g.o.NoInteger && strings.ContainsAny(r.form, "iI") && !conditions[r.form],
			g.o.Exact && r.may&approx != 0,
			g.o.Typed && r.may&bits != 0:
			continue
		}
		g.rows = append(g.rows, r)
		g.weight += r.weight
	}
}

// conditions lists the forms of instructions that produce or use the result of a comparison without
// computing with it.
var conditions = map[string]bool{"i=ff": true, "i=DD": true, "f=iff": true}

// arithmetic adds one computing instruction by weight.
func (g *generator) arithmetic() {
	if g.chance(1) && g.regs[float] > 3 {
		g.transpose()
		return
	}
	n := g.r.IntN(g.weight)
	for i := range g.rows {
		if n -= g.rows[i].weight; n < 0 {
			g.compute(&g.rows[i])
			return
		}
	}
}

// transpose adds a transposition of four registers, in place or not.
func (g *generator) transpose() {
	from, to := g.r.IntN(g.regs[float]-3), g.r.IntN(g.regs[float]-3)
	if max(from-to, to-from) < 4 {
		to = from
	}
	g.addLine("transpose r%d, r%d", firstReg[float]+to, firstReg[float]+from)
}

// compute adds an instruction of a row, with a mask of its form.
func (g *generator) compute(r *row) {
	c := classOf[r.form[0]]
	m := g.pickMask(c)
	switch sources := r.form[2:]; {
	// A result of one double has one lane.
	case sources[0] == 'D':
		m = singleMask(g.r.IntN(4))
	// The result is one double.
	case c == double && sources[0] != 'd':
		m = pickOne(g, "xy__", "__zw")
	}
	at, spelt := g.opcode(r)
	text := at + " " + g.destination(c, spelt) + g.spellMask(m)
	for _, letter := range []byte(r.form[2:]) {
		text += pickOne(g, ", ", ", ", ",") + g.operand(letter, m, r.may&negates != 0)
	}
	g.addLine("%s", text)
}

// opcode writes an instruction with its modifiers. Those of the result can also follow the register; these
// are returned separately.
func (g *generator) opcode(r *row) (op, atRegister string) {
	op = r.name
	if r.may&ieee != 0 && g.chance(40) {
		op += "_ieee"
	}
	if r.may&zeroop != 0 && g.chance(40) {
		op += "_zeroop(" + pickOne(g, "fltmax", "zero", "infinity", "inf_else_max") + ")"
	}
	if r.may&result == 0 {
		return op, ""
	}
	mods := ""
	if g.chance(8) {
		mods += pickOne(g, "_x2", "_x4", "_x8", "_d2", "_d4", "_d8")
	}
	if g.chance(10) {
		mods += "_sat"
	}
	if mods != "" && g.chance(30) {
		return op, mods
	}
	if op += mods; g.chance(2) {
		op += pickOne(g, "_prec", "_prec(xz)")
	}
	return op, ""
}
