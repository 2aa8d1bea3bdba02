// Package laws is the table of the laws of real numbers that the verifier applies, written as programs:
// laws of order, choice and the elementary functions. Two programs that differ by any of them, in any
// context, are proved-real. A pass that requires proved-real may rely on them. Tests of package verify
// check every law against the proofs, the op table and the interpreter.
package laws

// Law is an equation between two programs.
type Law struct {
	Name string
	// Model is the shader model of Left and Right. These are instructions, separated by semicolons, that
	// write r3 and may use r4 to r9. They read r0 to r2, c20 (0, 1, -1, 0.5), c21 (2, 3, 4, 0.25) and the
	// constants c0 to c3.
	Model       string
	Left, Right string
	// Where gives the operands for which the law holds.
	Where Where
	// Bits reports that all numbers except NaN and signed zeros give the same float32.
	Bits bool
	// Wrong lists programs that resemble Right but differ.
	Wrong []string
	// Source is the source of the law, besides the reference pages of the instructions.
	Source string
}

// Where is a set of numbers that contains all operands.
type Where uint8

// The sets.
const (
	Everywhere Where = iota
	// NonZero excludes 0, whose reciprocal and logarithm are infinite. Results of such values may change.
	NonZero
	// Moderate holds numbers of magnitude 0.25 to 4, whose exponentials do not overflow.
	Moderate
)

const (
	order    = "total order of the real numbers"
	axioms   = "the real numbers are a field"
	equation = "functional equation; logarithm, power and root are of the operand's size"
	flow     = "a value is that of the path taken"
	level    = "the level of detail is that of the coordinates, plus the bias"
	slope    = "neighbours have the same constants"
)

const (
	ps = "ps_3_0"
	vs = "vs_3_0"
)

// Table is the table of laws.
var Table = []Law{
	// Order.
	{"min of equals", ps, "min r3, r0, r0", "mov r3, r0", Everywhere, true, []string{"mov r3, -r0", "mov r3, r1", "abs r3, r0"}, order},
	{"max of equals", ps, "max r3, r0, r0", "mov r3, r0", Everywhere, true, []string{"mov r3, -r0", "abs r3, r0"}, order},
	{"min commutes", ps, "min r3, r0, r1", "min r3, r1, r0", Everywhere, true, []string{"max r3, r1, r0", "min r3, r0, -r1"}, order},
	{"max commutes", ps, "max r3, r0, r1", "max r3, r1, r0", Everywhere, true, []string{"min r3, r1, r0", "max r3, r0_abs, r1"}, order},
	{"min associates", ps, "min r4, r0, r1; min r3, r4, r2", "min r4, r1, r2; min r3, r0, r4", Everywhere, true, []string{"max r4, r1, r2; min r3, r0, r4"}, order},
	{"max associates", ps, "max r4, r0, r1; max r3, r4, r2", "max r4, r2, r0; max r3, r1, r4", Everywhere, true, []string{"min r4, r2, r0; max r3, r1, r4", "max r3, r1, r0"}, order},
	{"min absorbs max", ps, "max r4, r0, r1; min r3, r0, r4", "mov r3, r0", Everywhere, true, []string{"mov r3, r1", "min r3, r0, r1"}, order},
	{"max absorbs min", ps, "min r4, r0, r1; max r3, r4, r0", "mov r3, r0", Everywhere, true, []string{"mov r3, r1", "max r3, r0, r1"}, order},
	{"min distributes over max", ps, "max r4, r1, r2; min r3, r0, r4", "min r4, r0, r1; min r5, r0, r2; max r3, r4, r5", Everywhere, true,
		[]string{"min r4, r0, r1; max r5, r0, r2; max r3, r4, r5", "min r4, r0, r1; max r3, r4, r2"}, order},
	{"max of negations", ps, "max r3, -r0, -r1", "min r4, r0, r1; mov r3, -r4", Everywhere, true, []string{"max r4, r0, r1; mov r3, -r4", "min r3, -r0, -r1"}, order},
	{"min and max sum", ps, "min r4, r0, r1; max r5, r0, r1; add r3, r4, r5", "add r3, r0, r1", Everywhere, false, []string{"add r3, r0, r0", "add r3, r0, -r1"}, order},
	{"min and max multiply", ps, "min r4, r0, r1; max r5, r0, r1; mul r3, r4, r5", "mul r3, r0, r1", Everywhere, false, []string{"mul r3, r0, r0"}, order},
	{"max minus min", ps, "min r4, r0, r1; max r5, r0, r1; add r3, r5, -r4", "add r4, r0, -r1; abs r3, r4", Everywhere, false, []string{"add r3, r0, -r1", "add r4, r0, r1; abs r3, r4"}, order},
	{"max by comparison", ps, "max r3, r0, r1", "add r4, r0, -r1; cmp r3, r4, r0, r1", Everywhere, false, []string{"add r4, r0, -r1; cmp r3, r4, r1, r0", "add r4, r0, r1; cmp r3, r4, r0, r1"}, order},
	{"max by the converse", ps, "max r3, r0, r1", "add r4, r1, -r0; cmp r3, r4, r1, r0", Everywhere, false, []string{"add r4, r1, -r0; cmp r3, r4, r0, r1"}, order},
	{"min by comparison", ps, "min r3, r0, r1", "add r4, r0, -r1; cmp r3, r4, r1, r0", Everywhere, false, []string{"add r4, r0, -r1; cmp r3, r4, r0, r1"}, order},
	{"max with 0 by comparison", ps, "max r3, r0, c20.x", "cmp r3, r0, r0, c20.x", Everywhere, true, []string{"cmp r3, r0, c20.x, r0", "cmp r3, r0, r0, c20.y", "abs r3, r0"}, order},
	{"max with 0 by product", ps, "max r3, r0, c20.x", "cmp r4, r0, c20.y, c20.x; mul r3, r0, r4", Everywhere, false,
		[]string{"cmp r3, r0, c20.y, c20.x", "cmp r4, r0, c20.x, c20.y; mul r3, r0, r4", "cmp r4, -r0, c20.x, c20.y; mul r3, r1, r4"}, order},
	{"max with 0, strict", ps, "max r3, r0, c20.x", "cmp r4, -r0, c20.x, c20.y; mul r3, r0, r4", Everywhere, false, []string{"cmp r3, -r0, c20.x, c20.y"}, order},
	{"max with 0 from size", ps, "max r3, r0, c20.x", "add r4, r0, r0_abs; mul r3, r4, c20.w", Everywhere, false, []string{"add r4, r0, -r0_abs; mul r3, r4, c20.w", "add r3, r0, r0_abs"}, order},
	{"strict and not strict", ps, "cmp r3, r0, c20.y, c20.x", "cmp r4, r0, c20.x, c20.y; add r3, -r4, c20.y", Everywhere, true,
		[]string{"cmp r3, -r0, c20.x, c20.y", "cmp r4, -r0, c20.y, c20.x; add r3, -r4, c20.y"}, order},
	{"size by max", ps, "abs r3, r0", "max r3, r0, -r0", Everywhere, true, []string{"min r3, r0, -r0", "max r3, r0, c20.x"}, order},
	{"size by comparison", ps, "abs r3, r0", "cmp r3, r0, r0, -r0", Everywhere, true, []string{"cmp r3, r0, -r0, r0", "mov r3, r0"}, order},
	{"size of a size", ps, "abs r4, r0; max r3, r4, -r4", "abs r3, r0", Everywhere, true, []string{"mov r3, r0"}, order},
	{"size of a product", ps, "mul r4, r0, r1; abs r3, r4", "mul r3, r0_abs, r1_abs", Everywhere, true, []string{"mul r3, r0, r1_abs", "mul r3, r0, r1"}, order},
	{"square of a size", ps, "mul r3, r0_abs, r0_abs", "mul r3, r0, r0", Everywhere, true, []string{"mul r3, r0_abs, r0", "mul r3, -r0, r0"}, order},
	{"sum in max", ps, "add r4, r0, r2; add r5, r1, r2; max r3, r4, r5", "max r4, r0, r1; add r3, r4, r2", Everywhere, false, []string{"max r4, r0, r1; add r3, r4, -r2", "min r4, r0, r1; add r3, r4, r2"}, order},
	{"factor in max", ps, "mul r4, r0, c21.x; mul r5, r1, c21.x; max r3, r4, r5", "max r4, r0, r1; mul r3, r4, c21.x", Everywhere, true,
		[]string{"max r4, r0, r1; mul r3, r4, -c21.x", "max r4, r0, r1; mul r3, r4, c21.y"}, order},
	{"negative factor in max", ps, "mul r4, r0, -c21.y; mul r5, r1, -c21.y; max r3, r4, r5", "min r4, r0, r1; mul r3, r4, -c21.y", Everywhere, true, []string{"max r4, r0, r1; mul r3, r4, -c21.y"}, order},
	{"clamp", ps, "mov_sat r3, r0", "max r4, r0, c20.x; min r3, r4, c20.y", Everywhere, true, []string{"max r4, r0, c20.z; min r3, r4, c20.y", "max r3, r0, c20.x", "min r4, r0, c20.x; max r3, r4, c20.y"}, order},
	{"clamp, the other order", ps, "mov_sat r3, r0", "min r4, r0, c20.y; max r3, r4, c20.x", Everywhere, true, []string{"min r4, r0, c20.w; max r3, r4, c20.x", "min r3, r0, c20.y"}, order},
	{"clamp of a clamp", ps, "mov_sat r4, r0; mov_sat r3, r4", "mov_sat r3, r0", Everywhere, true, []string{"mov r3, r0", "max r3, r0, c20.x"}, order},
	{"clamp of max with 0", ps, "max r4, r0, c20.x; mov_sat r3, r4", "mov_sat r3, r0", Everywhere, true, []string{"max r3, r0, c20.x", "abs r4, r0; mov_sat r3, r4"}, order},
	{"clamp of the complement", ps, "add_sat r3, -r0, c20.y", "mov_sat r4, r0; add r3, -r4, c20.y", Everywhere, false, []string{"mov_sat r4, r0; add r3, r4, c20.y", "add_sat r3, r0, c20.y"}, order},
	{"clamp by comparisons", ps, "mov_sat r3, r0", "cmp r4, r0, r0, c20.x; add r5, -r4, c20.y; cmp r3, r5, r4, c20.y", Everywhere, true, []string{"cmp r4, r0, r0, c20.x; add r5, -r4, c20.y; cmp r3, r5, c20.y, r4"}, order},
	{"literals in order", ps, "max r4, r0, c21.x; max r3, r4, c20.y", "max r3, r0, c21.x", Everywhere, true, []string{"max r3, r0, c20.y", "mov r3, r0"}, order},
	{"known comparison", ps, "max r4, r0, c20.y; cmp r3, r4, r1, r2", "mov r3, r1", Everywhere, true, []string{"mov r3, r2", "cmp r3, r0, r1, r2"}, order},

	// Choices.
	{"choice of equals", ps, "cmp r3, r0, r1, r1", "mov r3, r1", Everywhere, true, []string{"mov r3, r0", "mov r3, -r1"}, flow},
	{"choice again", ps, "cmp r4, r0, r1, r2; cmp r3, r0, r4, r2", "cmp r3, r0, r1, r2", Everywhere, true, []string{"cmp r3, r0, r2, r1", "mov r3, r1"}, flow},
	{"choice within the other case", ps, "cmp r4, r0, r1, r2; cmp r3, r0, r2, r4", "mov r3, r2", Everywhere, true, []string{"mov r3, r1", "cmp r3, r0, r2, r1"}, flow},
	{"factor of a choice", ps, "cmp r4, r0, r1, r2; mul r3, r4, r1", "mul r4, r1, r1; mul r5, r2, r1; cmp r3, r0, r4, r5", Everywhere, true, []string{"mul r4, r1, r1; mul r5, r2, r1; cmp r3, r0, r5, r4", "mul r4, r1, r1; cmp r3, r0, r4, r2"}, flow},
	{"square of a choice", ps, "cmp r4, r0, r1, r2; mul r3, r4, r4", "mul r4, r1, r1; mul r5, r2, r2; cmp r3, r0, r4, r5", Everywhere, true, []string{"mul r4, r1, r2; cmp r3, r0, r4, r4", "mul r4, r1, r1; mul r5, r2, r2; cmp r3, -r0, r4, r5"}, flow},
	{"choice by a multiple", ps, "mul r4, r0, c21.x; cmp r3, r4, r1, r2", "cmp r3, r0, r1, r2", Everywhere, true, []string{"mul r4, r0, -c21.x; cmp r3, r4, r1, r2", "add r4, r0, c21.x; cmp r3, r4, r1, r2"}, order},
	{"choice by a fraction", ps, "mul r4, r0, c21.y; add r4, r4, c20.y; cmp r3, r4, r1, r2", "mul r4, r0, c21.x; add r4, r4, c20.w; add r4, r4, r0; add r4, r4, c20.w; cmp r3, r4, r1, r2", Everywhere, false, []string{"cmp r3, r0, r1, r2", "mul r4, r0, c21.y; add r4, r4, -c20.y; cmp r3, r4, r1, r2"}, order},
	{"choice by literals", ps, "cmp r4, r0, c20.y, c20.z; cmp r3, r4, r1, r2", "cmp r3, r0, r1, r2", Everywhere, true, []string{"cmp r3, r0, r2, r1", "cmp r4, r0, c20.y, c20.x; cmp r3, r4, r1, r2"}, order},
	{"choice by a strict one", ps, "cmp r4, -r0, c20.y, c20.z; cmp r3, r4, r1, r2", "cmp r3, -r0, r1, r2", Everywhere, true, []string{"cmp r3, r0, r2, r1"}, order},
	{"function of a choice", ps, "cmp r4, r0, r1, r2; exp r3, r4.x", "exp r4, r1.x; exp r5, r2.x; cmp r3, r0.x, r4, r5", Moderate, true, []string{"exp r4, r1.x; exp r5, r2.x; cmp r3, r0.x, r5, r4"}, flow},
	{"choice as interpolation", ps, "cmp r3, r0, r1, r2", "cmp r4, r0, c20.y, c20.x; lrp r3, r4, r1, r2", Everywhere, false, []string{"cmp r4, r0, c20.y, c20.x; lrp r3, r4, r2, r1", "cmp r4, r0, c20.y, c20.w; lrp r3, r4, r1, r2"}, flow},
	{"branch as choice", ps, "if_ge r0.x, r1.x; mov r3, r1; else; mov r3, r2; endif", "add r4, r0.x, -r1.x; cmp r3, r4, r1, r2", Everywhere, false, []string{"add r4, r0.x, -r1.x; cmp r3, r4, r2, r1", "add r4, r0.x, -r1.x; cmp r3, -r4, r2, r1"}, flow},
	{"branch with its negation", ps, "if_lt r0.x, r1.x; mov r3, r1; else; mov r3, r2; endif", "if_ge r0.x, r1.x; mov r3, r2; else; mov r3, r1; endif", Everywhere, true,
		[]string{"if_gt r0.x, r1.x; mov r3, r2; else; mov r3, r1; endif", "if_lt r0.x, r1.x; mov r3, r2; else; mov r3, r1; endif"}, flow},
	{"branch on equality", ps, "if_eq r0.x, r1.x; mov r3, r1; else; mov r3, r2; endif", "if_ne r1.x, r0.x; mov r3, r2; else; mov r3, r1; endif", Everywhere, true, []string{"if_ge r0.x, r1.x; mov r3, r1; else; mov r3, r2; endif", "mov r3, r2"}, flow},
	{"branch in a branch", ps, "mov r3, r2; if_gt r0.x, r1.x; if_gt r0.x, r2.x; mov r3, r1; endif; endif", "mov r3, r2; max r4, r1, r2; if_gt r0.x, r4.x; mov r3, r1; endif", Everywhere, true, []string{"mov r3, r2; min r4, r1, r2; if_gt r0.x, r4.x; mov r3, r1; endif"}, order},
	{"branch on a flag", ps, "if b0; mov r3, r1; else; mov r3, r2; endif; if b0; add r3, r3, r0; endif", "if b0; add r3, r1, r0; else; mov r3, r2; endif", Everywhere, true, []string{"if b0; add r3, r1, r0; else; add r3, r2, r0; endif", "if b1; add r3, r1, r0; else; mov r3, r2; endif"}, flow},
	{"predicate as max", ps, "setp_gt p0, r0, r1; mov r3, r1; (p0) mov r3, r0", "max r3, r0, r1", Everywhere, true, []string{"min r3, r0, r1", "mov r3, r1"}, flow},
	{"predicate and its negation", ps, "setp_lt p0, r0, r1; mov r3, r1; (p0) add r3, r0, r2", "setp_ge p0, r0, r1; add r3, r0, r2; (p0) mov r3, r1", Everywhere, true, []string{"setp_gt p0, r0, r1; add r3, r0, r2; (p0) mov r3, r1"}, flow},
	{"texel by branch", ps, "if_ge r0.x, c20.x; texldl r3, r1, s0; else; texldl r3, r2, s0; endif", "cmp r4, r0.x, r1, r2; texldl r3, r4, s0", Moderate, true, []string{"cmp r4, r0.x, r2, r1; texldl r3, r4, s0", "texldl r3, r1, s0"}, flow},
	{"kill by min", ps, "texkill r0; texkill r1; mov r3, r2", "min r4, r0, r1; texkill r4; mov r3, r2", Everywhere, true, []string{"max r4, r0, r1; texkill r4; mov r3, r2", "texkill r0; mov r3, r2"}, order},

	// Arithmetic.
	{"product and sum", ps, "mad r3, r0, r1, r2", "mul r4, r0, r1; add r3, r4, r2", Everywhere, false, []string{"mul r4, r0, r1; add r3, r4, -r2"}, axioms},
	{"distribution", ps, "add r4, r0, r1; mul r3, r4, r2", "mul r4, r0, r2; mad r3, r1, r2, r4", Everywhere, false, []string{"mul r4, r0, r1; mad r3, r1, r2, r4"}, axioms},
	{"interpolation", ps, "lrp r3, r0, r1, r2", "add r4, -r0, c20.y; mul r5, r0, r1; mad r3, r4, r2, r5", Everywhere, false, []string{"add r4, -r0, c20.y; mul r5, r0, r2; mad r3, r4, r1, r5"}, axioms},
	{"interpolation the other way", ps, "lrp r3, r0, r1, r2", "add r4, -r0, c20.y; lrp r3, r4, r2, r1", Everywhere, false, []string{"lrp r3, r0, r2, r1"}, axioms},
	{"dot product of 3", ps, "dp3 r3, r0, r1", "mul r4, r0, r1; add r5, r4.x, r4.y; add r3, r5, r4.z", Everywhere, false, []string{"mul r4, r0, r1; add r5, r4.x, r4.y; add r3, r5, r4.w"}, axioms},
	{"dot product of 4", ps, "dp4 r3, r0, r1", "dp3 r4, r0, r1; mad r3, r0.w, r1.w, r4", Everywhere, false, []string{"dp3 r3, r0, r1"}, axioms},
	{"dot product of 2", ps, "dp2add r3, r0, r1, r2.x", "mul r4, r0, r1; add r5, r4.x, r4.y; add r3, r5, r2.x", Everywhere, false, []string{"mul r4, r0, r1; add r5, r4.x, r4.z; add r3, r5, r2.x"}, axioms},
	{"cross product", ps, "mov r3, r2; crs r3.xyz, r0, r1", "mov r3, r2; mul r4, r0.zxyw, r1.yzxw; mad r3.xyz, r0.yzxw, r1.zxyw, -r4", Everywhere, false, []string{"mov r3, r2; mul r4, r0.yzxw, r1.zxyw; mad r3.xyz, r0.zxyw, r1.yzxw, -r4"}, axioms},
	{"cross product anticommutes", ps, "mov r3, r2; crs r3.xyz, r0, r1", "mov r3, r2; crs r3.xyz, r1, -r0", Everywhere, false, []string{"mov r3, r2; crs r3.xyz, r1, r0"}, axioms},
	{"matrix as rows", ps, "m4x4 r3, r0, c0", "dp4 r3.x, r0, c0; dp4 r3.y, r0, c1; dp4 r3.z, r0, c2; dp4 r3.w, r0, c3", Everywhere, true, []string{"dp4 r3.x, r0, c0; dp4 r3.y, r0, c1; dp4 r3.z, r0, c3; dp4 r3.w, r0, c2"}, axioms},
	{"distance", vs, "dst r3, r0, r1", "mov r3.x, c20.y; mul r3.y, r0.y, r1.y; mov r3.z, r0.z; mov r3.w, r1.w", Everywhere, true, []string{"mov r3.x, c20.y; mul r3.y, r0.y, r1.y; mov r3.z, r1.z; mov r3.w, r0.w"}, axioms},
	{"reciprocal of a reciprocal", ps, "rcp r4, r0.x; rcp r3, r4.x", "mov r3, r0.x", NonZero, false, []string{"mov r3, -r0.x", "rcp r3, r0.x"}, axioms},
	{"reciprocal of a product", ps, "mul r4, r0, r1; rcp r3, r4.x", "rcp r4, r0.x; rcp r5, r1.x; mul r3, r4, r5", NonZero, false, []string{"rcp r4, r0.x; rcp r5, r1.x; add r3, r4, r5", "rcp r4, r0.x; mul r3, r4, r1.x"}, axioms},
	{"number over itself", ps, "rcp r4, r0.x; mul r3, r0.x, r4", "mov r3, c20.y", NonZero, false, []string{"mov r3, c20.z", "mov r3, c20.w"}, axioms},
	{"common factor", ps, "mul r4, r0.x, r1.x; mul r5, r2.x, r1.x; rcp r5, r5.x; mul r3, r4, r5", "rcp r4, r2.x; mul r3, r4, r0.x", NonZero, false, []string{"rcp r4, r1.x; mul r3, r4, r0.x"}, axioms},
	{"common denominator", ps, "rcp r4, r2.x; mul r5, r0, r4; mad r3, r1, r4, r5", "rcp r4, r2.x; add r5, r0, r1; mul r3, r5, r4", NonZero, false, []string{"rcp r4, r2.x; add r5, r0, -r1; mul r3, r5, r4"}, axioms},
	{"sum of reciprocals", ps, "rcp r4, r0_abs.x; rcp r5, r1_abs.x; add r3, r4, r5", "mul r4, r0_abs, r1_abs; rcp r5, r4.x; add r6, r0_abs, r1_abs; mul r3, r6.x, r5", NonZero, false, []string{"add r6, r0_abs, r1_abs; rcp r3, r6.x"}, axioms},

	// Roots.
	{"square of a root", ps, "rsq r4, r0.x; mul r3, r4, r4", "rcp r3, r0_abs.x", NonZero, false, []string{"rcp r3, r0.x", "mov r3, r0_abs.x"}, equation},
	{"root by its reciprocal", ps, "rsq r4, r0.x; mul r3, r0_abs.x, r4", "rsq r4, r0.x; rcp r3, r4.x", NonZero, false, []string{"rsq r3, r0.x", "rsq r4, r0.x; mul r3, r0.x, r4"}, equation},
	{"root of a product", ps, "mul r4, r0, r1; rsq r3, r4.x", "rsq r4, r0.x; rsq r5, r1.x; mul r3, r4, r5", NonZero, false, []string{"rsq r4, r0.x; rsq r5, r1.x; add r3, r4, r5", "rsq r4, r0.x; mul r3, r4, r1.x"}, equation},
	{"root of a square", ps, "mul r4, r0, r0; rsq r3, r4.x", "rcp r3, r0_abs.x", NonZero, false, []string{"rcp r3, r0.x", "mov r3, r0_abs.x"}, equation},
	{"root of a multiple", ps, "mul r4, r0, c21.z; rsq r3, r4.x", "rsq r4, r0.x; mul r3, r4, c20.w", NonZero, false, []string{"rsq r4, r0.x; mul r3, r4, c21.x", "rsq r4, r0.x; mul r3, r4, c21.w"}, equation},
	{"root of a reciprocal", ps, "rcp r4, r0.x; rsq r3, r4.x", "rsq r4, r0.x; rcp r3, r4.x", NonZero, false, []string{"rsq r3, r0.x"}, equation},
	{"root of a negation", ps, "rsq r3, -r0.x", "rsq r3, r0.x", NonZero, true, []string{"rsq r4, r0.x; mov r3, -r4"}, equation},
	{"normalization", ps, "nrm r3, r0", "dp3 r4, r0, r0; rsq r5, r4.x; mul r3, r0, r5", NonZero, true, []string{"dp4 r4, r0, r0; rsq r5, r4.x; mul r3, r0, r5", "dp3 r4, r0, r0; rcp r5, r4.x; mul r3, r0, r5"}, equation},
	{"normalization after a product", ps, "nrm r4, r0; dp3 r3, r4, r1", "dp3 r4, r0, r0; dp3 r5, r0, r1; rsq r4, r4.x; mul r3, r5, r4", NonZero, false, []string{"dp3 r4, r1, r1; dp3 r5, r0, r1; rsq r4, r4.x; mul r3, r5, r4"}, equation},
	{"normalization of a multiple", ps, "mul r4, r0, c21.y; nrm r3, r4", "nrm r3, r0", NonZero, false, []string{"nrm r4, r0; mul r3, r4, c21.y", "nrm r3, -r0"}, equation},
	{"normalization again", ps, "nrm r4.xyz, r0; mov r4.w, r0.w; nrm r3, r4", "nrm r4, r0; mov r3, r4; mov r3.w, r0.w", NonZero, false, []string{"nrm r4, r1; mov r3, r4; mov r3.w, r0.w"}, equation},
	{"length of a normal", ps, "nrm r4, r0; dp3 r3, r4, r4", "mov r3, c20.y", NonZero, false, []string{"dp3 r3, r0, r0"}, equation},
	{"light in any order", ps, "nrm r4, r0; nrm r5, r1; dp3 r6, r4, r5; max r6, r6, c20.x; mul r3, r6, r2",
		"dp3 r4, r0, r1; cmp r5, r4, c20.y, c20.x; mul r4, r4, r5; mul r4, r4, r2; dp3 r6, r0, r0; rsq r6, r6.x; dp3 r7, r1, r1; rsq r7, r7.x; mul r4, r4, r6; mul r3, r4, r7", NonZero, false,
		[]string{"dp3 r4, r0, r1; mul r4, r4, r2; dp3 r6, r0, r0; rsq r6, r6.x; dp3 r7, r1, r1; rsq r7, r7.x; mul r4, r4, r6; mul r3, r4, r7"}, equation},

	// Exponentials, powers and logarithms.
	{"exponential of a sum", ps, "add r4, r0, r1; exp r3, r4.x", "exp r4, r0.x; exp r5, r1.x; mul r3, r4, r5", Moderate, false, []string{"exp r4, r0.x; exp r5, r1.x; add r3, r4, r5", "exp r4, r0.x; mul r3, r4, r1.x"}, equation},
	{"exponential of a negation", ps, "exp r3, -r0.x", "exp r4, r0.x; rcp r3, r4.x", Moderate, false, []string{"exp r4, r0.x; mov r3, -r4"}, equation},
	{"clamp of 1 less an exponential", ps, "exp r4, r0.x; add r4, -r4, c20.y; max r3, r4, c20.x", "exp r4, r0.x; add_sat r3, -r4, c20.y", Moderate, false, []string{"exp r4, r0.x; add r3, -r4, c20.y", "exp r4, r0.x; add_sat r3, r4, c20.y", "exp r4, r0.x; add_sat r3, r4, -c20.y"}, order},
	{"exponential of one more", ps, "add r4, r0, c20.y; exp r3, r4.x", "exp r4, r0.x; mul r3, r4, c21.x", Moderate, false, []string{"exp r4, r0.x; mul r3, r4, c21.y", "exp r4, r0.x; add r3, r4, c20.y"}, equation},
	{"exponential of a double", ps, "mul r4, r0, c21.x; exp r3, r4.x", "exp r4, r0.x; mul r3, r4, r4", Moderate, false, []string{"exp r4, r0.x; mul r3, r4, c21.x"}, equation},
	{"exponential of a logarithm", ps, "log r4, r0.x; exp r3, r4.x", "abs r3, r0.x", Moderate, false, []string{"mov r3, r0.x"}, equation},
	{"logarithm of an exponential", ps, "exp r4, r0.x; log r3, r4.x", "mov r3, r0.x", Moderate, false, []string{"abs r3, r0.x"}, equation},
	{"logarithm of a product", ps, "mul r4, r0, r1; log r3, r4.x", "log r4, r0.x; log r5, r1.x; add r3, r4, r5", Moderate, false, []string{"log r4, r0.x; log r5, r1.x; mul r3, r4, r5"}, equation},
	{"logarithm of a double", ps, "mul r4, r0, c21.x; log r3, r4.x", "log r4, r0.x; add r3, r4, c20.y", Moderate, false, []string{"log r4, r0.x; mul r3, r4, c21.x"}, equation},
	{"logarithm of a square", ps, "mul r4, r0, r0; log r3, r4.x", "log r4, r0.x; mul r3, r4, c21.x", Moderate, false, []string{"log r4, r0.x; mul r3, r4, r4"}, equation},
	{"logarithm of a reciprocal", ps, "rcp r4, r0.x; log r3, r4.x", "log r4, r0.x; mov r3, -r4", Moderate, false, []string{"log r3, r0.x"}, equation},
	{"logarithm of a root", ps, "rsq r4, r0.x; log r3, r4.x", "log r4, r0.x; mul r3, r4, -c20.w", Moderate, false, []string{"log r4, r0.x; mul r3, r4, c20.w"}, equation},
	{"power as exponential", ps, "pow r3, r0.x, r1.x", "log r4, r0.x; mul r4, r4, r1.x; exp r3, r4.x", Moderate, false, []string{"log r4, r1.x; mul r4, r4, r0.x; exp r3, r4.x"}, equation},
	{"second power", ps, "pow r3, r0.x, c21.x", "mul r3, r0.x, r0.x", Moderate, false, []string{"mul r3, r0.x, r0_abs.x", "mul r3, r0.x, c21.x"}, equation},
	{"third power", ps, "pow r3, r0.x, c21.y", "mul r4, r0.x, r0.x; mul r3, r4, r0_abs.x", Moderate, false, []string{"mul r4, r0.x, r0.x; mul r3, r4, r0.x"}, equation},
	{"fourth power", ps, "pow r3, r0.x, c21.z", "mul r4, r0.x, r0.x; mul r3, r4, r4", Moderate, false, []string{"mul r3, r0.x, r0.x", "mul r4, r0.x, r0.x; mul r3, r4, r0_abs.x"}, equation},
	{"power of a half", ps, "pow r3, r0.x, c20.w", "rsq r4, r0.x; rcp r3, r4.x", Moderate, false, []string{"rsq r3, r0.x"}, equation},
	{"power of -1", ps, "pow r3, r0.x, c20.z", "rcp r3, r0_abs.x", Moderate, false, []string{"rcp r3, r0.x"}, equation},
	{"powers multiplied", ps, "pow r4, r0.x, r1.x; pow r5, r0.x, r2.x; mul r3, r4, r5", "add r4, r1, r2; pow r3, r0.x, r4.x", Moderate, false, []string{"mul r4, r1, r2; pow r3, r0.x, r4.x"}, equation},
	{"power of a power", ps, "pow r4, r0.x, r1.x; pow r3, r4.x, r2.x", "mul r4, r1, r2; pow r3, r0.x, r4.x", Moderate, false, []string{"add r4, r1, r2; pow r3, r0.x, r4.x"}, equation},
	{"power of a product", ps, "mul r4, r0, r1; pow r3, r4.x, r2.x", "pow r4, r0.x, r2.x; pow r5, r1.x, r2.x; mul r3, r4, r5", Moderate, false, []string{"pow r4, r0.x, r2.x; mul r3, r4, r1.x"}, equation},

	// Fractions and angles.
	{"fraction of one more", ps, "add r4, r0, c20.y; frc r3, r4", "frc r3, r0", Moderate, false, []string{"frc r4, r0; add r3, r4, c20.y", "add r4, r0, c20.w; frc r3, r4"}, "x - floor(x); floor(x + 1) = floor(x) + 1"},
	{"fraction of a fraction", ps, "frc r4, r0; frc r3, r4", "frc r3, r0", Moderate, true, []string{"mov r3, r0"}, "0 <= x - floor(x) < 1"},
	{"fraction of a floor", ps, "frc r4, r0; add r4, r0, -r4; frc r3, r4", "mov r3, c20.x", Moderate, true, []string{"frc r3, r0"}, "floor(x) is an integer"},
	{"floor again", ps, "frc r4, r0; add r4, r0, -r4; frc r5, r4; add r3, r4, -r5", "frc r4, r0; add r3, r0, -r4", Moderate, true, []string{"mov r3, r0"}, "floor(x) is an integer"},
	{"sine is odd", ps, "mov r3, r1; sincos r3.y, -r0.x", "sincos r4.y, r0.x; mov r3, r1; mov r3.y, -r4.y", Moderate, true, []string{"mov r3, r1; sincos r3.y, r0.x"}, equation},
	{"cosine is even", ps, "mov r3, r1; sincos r3.x, -r0.x", "mov r3, r1; sincos r3.x, r0.x", Moderate, true, []string{"sincos r4.x, r0.x; mov r3, r1; mov r3.x, -r4.x"}, equation},
	{"sine and cosine", ps, "sincos r4.xy, r0.x; mul r4.xy, r4, r4; add r3, r4.x, r4.y", "mov r3, c20.y", Moderate, false, []string{"sincos r4.xy, r0.x; add r3, r4.x, r4.y"}, equation},

	// Fetches and derivatives.
	{"bias of 0", ps, "mov r4, r0; mov r4.w, c20.x; texldb r3, r4, s0", "texld r3, r0, s0", Moderate, true,
		[]string{"texld r3, r0.yxzw, s0", "texld r3, r1, s0"}, level},
	{"bias of -0", ps, "mov r4, r0; mov r4.w, -c20.x; texldb r3, r4, s0", "texld r3, r0, s0", Moderate, true, []string{"mov r4, r1; mov r4.w, -c20.x; texldb r3, r4, s0"}, level},
	{"projective fetch", ps, "texldp r3, r0, s0", "rcp r4, r0.w; mul r5, r0, r4; texld r3, r5, s0", Moderate, false,
		[]string{"mul r5, r0, r0.w; texld r3, r5, s0", "rcp r4, r0.z; mul r5, r0, r4; texld r3, r5, s0", "texld r3, r0, s0"}, level},
	{"projective fetch by 1", ps, "mov r4, r0; mov r4.w, c20.y; texldp r3, r4, s0", "texld r3, r0, s0", Moderate, true, []string{"mov r4, r0; mov r4.w, c20.z; texldp r3, r4, s0", "texldp r3, r0, s0"}, level},
	{"derivative of a constant", ps, "mov r4, c1; dsx r3, r4", "mov r3, c20.x", Everywhere, true, []string{"mov r3, c1", "dsx r3, r0"}, slope},
	{"derivative of a product of constants", ps, "mov r4, c1; mul r4, r4, c2; dsy r3, r4", "mov r3, c20.x", Everywhere, true, []string{"mul r4, r0, c2; dsy r3, r4"}, slope},
	{"derivative of a choice of constants", ps, "mov r4, c1; mov r5, c2; cmp r4, r4, r5, c3; dsx r3, r4", "mov r3, c20.x", Everywhere, true, []string{"mov r5, c2; cmp r4, r0, r5, c3; dsx r3, r4"}, slope},

	// Instructions of vertex programs.
	{"less as not at least", vs, "slt r3, r0, r1", "sge r4, r0, r1; add r3, -r4, c20.y", Everywhere, true, []string{"sge r3, r1, r0", "sge r3, r0, r1"}, order},
	{"less by the difference", vs, "slt r3, r0, r1", "add r4, r0, -r1; slt r3, r4, c20.x", Everywhere, false, []string{"add r4, r0, -r1; sge r3, c20.x, r4", "slt r3, r1, r0"}, order},
	{"less of negations", vs, "slt r3, r0, r1", "slt r3, -r1, -r0", Everywhere, true, []string{"slt r3, -r0, -r1", "sge r3, -r1, -r0"}, order},
	{"equality", vs, "sge r4, r0, r1; sge r5, r1, r0; mul r3, r4, r5", "slt r4, r0, r1; slt r5, r1, r0; add r4, r4, r5; add r3, -r4, c20.y", Everywhere, true, []string{"mov r3, c20.x", "sge r3, r0, r1"}, order},
	{"less squared", vs, "slt r4, r0, r1; mul r3, r4, r4", "slt r3, r0, r1", Everywhere, true, []string{"sge r3, r1, r0"}, order},
	{"less and less", vs, "slt r4, r0, r1; slt r5, r0, r2; mul r3, r4, r5", "min r4, r1, r2; slt r3, r0, r4", Everywhere, true, []string{"max r4, r1, r2; slt r3, r0, r4"}, order},
	{"min by less", vs, "min r3, r0, r1", "slt r4, r0, r1; add r5, r0, -r1; mad r3, r4, r5, r1", Everywhere, false, []string{"sge r4, r0, r1; add r5, r0, -r1; mad r3, r4, r5, r1"}, order},
	{"min by not greater", vs, "min r3, r0, r1", "sge r4, r1, r0; add r5, r0, -r1; mad r3, r4, r5, r1", Everywhere, false, []string{"slt r4, r1, r0; add r5, r0, -r1; mad r3, r4, r5, r1"}, order},
	{"clamp in a vertex program", vs, "mov_sat r3, r0", "max r4, r0, c20.x; min r3, r4, c20.y", Everywhere, true, []string{"max r3, r0, c20.x"}, order},
	{"sign", vs, "sgn r3, r0, r8, r9", "slt r4, c20.x, r0; slt r5, r0, c20.x; add r3, r4, -r5", Everywhere, true, []string{"sge r4, r0, c20.x; slt r5, r0, c20.x; add r3, r4, -r5"}, order},
	{"sign times size", vs, "sgn r4, r0, r8, r9; mul r3, r4, r0", "abs r3, r0", Everywhere, true, []string{"mov r3, r0"}, order},
	{"sign of a sign", vs, "sgn r4, r0, r8, r9; sgn r3, r4, r8, r9", "sgn r3, r0, r8, r9", Everywhere, true, []string{"sgn r3, -r0, r8, r9", "abs r4, r0; sgn r3, r4, r8, r9"}, order},
	{"lighting coefficients", vs, "mov r4, r0; mov r4.w, c20.y; lit r3, r4", "mov r3, c20.y; slt r4, c20.x, r0; max r5, r0, c20.x; mul r6, r4.x, r5.y; mov r3.y, r5.x; mov r3.z, r6.x", Everywhere, true,
		[]string{"mov r3, c20.y; max r5, r0, c20.x; mov r3.y, r5.x; mov r3.z, r5.y"}, order},
}
