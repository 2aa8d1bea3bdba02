package ir

// Linearity says how a value varies over a primitive. The classes are ordered: a
// function that is allowed to mix two classes by plus is in the greater one.
//
// Affine is what code motion needs. The rasterizer interpolates a varying v with
// weights that sum to 1 (the perspective-correct barycentric coordinates), so sum
// w_i*(A*v_i + b) = A*(sum w_i*v_i) + b: an affine function of varyings may be computed
// per vertex and interpolated instead, with equal results over the reals. That is
// condition C3 (equivalency) of Ikeda, Ino and Hagihara, "A Code Motion Technique for
// Accelerating General-Purpose Computation on the GPU", IPDPS 2006.
type Linearity uint8

const (
	Constant  Linearity = iota // literals only
	Invariant                  // the same for all invocations of a draw: depends on constants only
	Affine                     // affine in the interpolated inputs, with invariant coefficients
	Nonlinear                  // none of these
)

// Linearities classifies every value of f by ID; leaf decides about the values that are
// not computed. It evaluates the formulas of the op table in the algebra of classes, so
// that, say, a dot product of an affine vector with an invariant one comes out affine.
// Results of fetches, of conditional writes, of loops and of conditionals are not
// followed: they count as nonlinear, as do derivatives and whatever is computed from
// such values. The classes are upper bounds: v*v - v*v is constant and counts as
// nonlinear.
func Linearities(f *Func, leaf func(*Value) Linearity) []Linearity {
	class := make([]Linearity, f.NumValues())
	for i := range class {
		class[i] = Nonlinear
	}
	for _, v := range f.leaves {
		class[v.ID] = leaf(v)
	}
	f.Walk(func(in *Instr) {
		for lane, v := range in.Out {
			if v != nil {
				class[v.ID] = in.Linearity(lane, func(v *Value) Linearity { return class[v.ID] })
			}
		}
	})
	return class
}

// Linearity is the class of a lane of in, given those of what it reads.
func (in *Instr) Linearity(lane int, class func(*Value) Linearity) Linearity {
	if !in.Op.HasFormula() || in.IsPredicated() || in.Op.Has(Convergent) {
		return Nonlinear
	}
	var alg linearAlgebra
	c := Eval(alg, in.Op, lane, func(src, l int) Linearity {
		x := in.Src[src][l]
		if x.Mod&Abs != 0 {
			return alg.Call(PrimAbs, []Linearity{class(x.V)})
		}
		return class(x.V)
	})
	if in.Mods&Sat != 0 {
		c = alg.Call(PrimSat, []Linearity{c})
	}
	return c
}

// linearAlgebra has the class of a result for the classes of the operands: sums take
// the greater, a product of two affine factors is quadratic. A primitive of invariants
// is invariant, one of constants a constant; of an affine argument nothing is known.
type linearAlgebra struct{}

func (linearAlgebra) Const(float32) Linearity      { return Constant }
func (linearAlgebra) Add(a, b Linearity) Linearity { return max(a, b) }
func (linearAlgebra) Neg(a Linearity) Linearity    { return a }
func (linearAlgebra) Mul(a, b Linearity) Linearity {
	if a == Affine && b == Affine {
		return Nonlinear
	}
	return max(a, b)
}

func (linearAlgebra) Call(_ Prim, args []Linearity) Linearity {
	c := Constant
	for _, a := range args {
		c = max(c, a)
	}
	if c == Affine {
		return Nonlinear
	}
	return c
}
