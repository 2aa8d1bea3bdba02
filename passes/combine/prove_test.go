package combine

import (
	"fmt"
	"go/ast"
	"go/parser"
	"math/rand/v2"
	"regexp"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/internal/test/passtest"
	"github.com/shaderlift/shaderlift/ir"
	"github.com/shaderlift/shaderlift/passes"
	"github.com/shaderlift/shaderlift/passes/internal/rules"
	"github.com/shaderlift/shaderlift/verify"
)

// applyRule applies r alone to f if numerics admit it, and reports whether it changed anything.
type applyRule func(r *rules.Compiled, f *ir.Func, numerics passes.Class) bool

// language is a language for generated programs. Its frames define values that patterns read, the last one of
// a known range, and end with the instruction that reads the result.
type language struct {
	name           string
	numbers, words string
	halves         bool // it has partial precision
	parse          func(string) (*passtest.Source, error)
}

var languages = []language{
	{
		name:   "Direct3D 9",
		halves: true,
		numbers: "ps_3_0\ndcl_texcoord0 v0\ndcl_texcoord1 v1\ndcl_texcoord2 v2\n" +
			"mov r0, v0\nmov r1, v1\nmov r2, v2\nadd r3, v0, c0\nfrc r4, v0\nmov oC0, r0\n",
		parse: func(text string) (*passtest.Source, error) {
			p, err := d3d9.Parse("frame", []byte(text))
			return &passtest.Source{Name: "frame", Pixel: p}, err
		},
	}, {
		name: "AMD IL",
		numbers: "il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_input_generic_interp(linear) v1\ndcl_output_generic o0\ndcl_cb cb0[4]\n" +
			"mov r0, v0\nmov r1, v1\nadd r2, v0, v1\nmov r3, cb0[0]\nfrc r4, v0\nmov o0, r0\nend\n",
		words: "il_ps_2_0\ndcl_input_generic_interp(linear) v0\ndcl_input_generic_interp(linear) v1\ndcl_output_generic o0\ndcl_cb cb0[4]\n" +
			"ftoi r0, v0\nftoi r1, v1\nftoi r2, cb0[0]\nftoi r3, cb0[1]\nult r4, r0, r1\nitof o0, r0\nend\n",
		parse: func(text string) (*passtest.Source, error) {
			k, err := il.Parse("frame", []byte(text))
			return &passtest.Source{Name: "frame", Kernel: k}, err
		},
	},
}

// tries bounds the number of programs that are made until a rule applies to one. Conditions on literals may
// hold in one program of hundreds.
const tries = 3000

// proveRule checks r in each language that has its operations, under every mask, in the given number of programs.
// An error shows a program that refutes r, or reports that r never applies.
func proveRule(row rules.Rule, programs int, seed uint64, apply applyRule) error {
	r := rules.Compile(&row)
	all := 0
	for i := range languages {
		p := &prover{language: &languages[i], rule: r, rng: rand.New(rand.NewPCG(seed, uint64(i))), apply: apply}
		proved := 0
		for n := 0; n < tries && proved < programs && !p.foreign; n++ {
			near := n%4 == 3
			applied, err := p.checkOnce(uint8(1+n%15), proved%2 == 1, near)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if applied && !near {
				proved++
			}
		}
		if proved > 0 && proved < programs {
			return fmt.Errorf("%s: it applied to %d programs of %d", p.name, proved, tries)
		}
		all += proved
	}
	if all == 0 {
		return fmt.Errorf("it never applied")
	}
	return nil
}

var word = regexp.MustCompile(`[a-z]\w+`)

// prover makes and checks programs of one language.
type prover struct {
	*language
	rule    *rules.Compiled
	rng     *rand.Rand
	apply   applyRule
	foreign bool // the language lacks an operation

	f      *ir.Func
	words  bool
	leaves []*ir.Instr
	bound  map[string]ir.Operand
	signs  map[string]bool
	last   uint32 // literal
	next   int    // leaf
}

// checkOnce makes a program whose pattern writes the lanes in mask, and checks it if the rule applies. strictly
// requires the class that the rule keeps in this language. Without it, half of the patterns compute in
// partial precision, if the language has it. A near program differs from the pattern in one operand, so the
// rule should not apply.
func (p *prover) checkOnce(mask uint8, strictly, near bool) (applied bool, err error) {
	root, err := parser.ParseExpr(p.rule.From)
	if err != nil {
		return false, err
	}
	call := root.(*ast.CallExpr)
	op, _ := operationOf(call)
	frame := p.numbers
	if p.words = op.Has(ir.OnWords); p.words {
		frame = p.language.words
	}
	if frame == "" {
		p.foreign = true
		return false, nil
	}
	s, err := p.parse(frame)
	if err != nil {
		return false, err
	}
	u, err := s.Lift()
	if err != nil {
		return false, err
	}
	p.f = u.Funcs()[0]
	class := p.rule.Class
	if strictly {
		class = p.rule.Keeps(p.f.Dialect)
	}
	code := p.f.Body.Code
	last := code[len(code)-1]
	p.leaves, p.f.Body.Code = code[:len(code)-1], code[:len(code)-1:len(code)-1]
	p.bound, p.signs = map[string]ir.Operand{}, map[string]bool{}
	in := p.instr(call, mask)
	for _, name := range word.FindAllString(p.rule.To, -1) {
		op := opNamed(name)
		p.foreign = p.foreign || op != ir.OpInvalid && !p.f.Dialect.Supports(op)
	}
	if p.foreign {
		return false, nil
	}
	if p.halves && !strictly && p.rng.IntN(2) == 0 {
		for _, in := range p.f.Body.Code[len(p.leaves):] {
			in.Mods |= ir.Half
		}
		class = max(class, passes.Real) // partial precision has no exact terms
	}
	if near {
		p.disturb(p.f.Body.Code[len(p.leaves):])
	}
	for i, v := range in.Out {
		if v != nil {
			last.Src[0][i] = ir.Lane{V: v}
		}
	}
	p.f.Body.Code = append(p.f.Body.Code, last)
	if err := p.f.Check(); err != nil {
		return false, fmt.Errorf("%w\n%s", err, p.f)
	}
	old := p.f.Clone()
	before, err := s.Emit(u)
	if err != nil {
		return false, fmt.Errorf("%w\n%s", err, p.f)
	}
	if !p.apply(p.rule, p.f, class) {
		return false, nil
	}
	after, err := s.Emit(u)
	if err != nil {
		return false, fmt.Errorf("%w\n%s", err, p.f)
	}
	if err := judge(p.rule, class, before, after); err != nil {
		return false, fmt.Errorf("%w\n%s\nbecomes\n%s", err, old, p.f)
	}
	return true, nil
}

// judge has the verifier compare two versions under class. The bits of a product that is rounded before it is
// added are compared by execution.
func judge(r *rules.Compiled, class passes.Class, before, after *passtest.Source) error {
	var report verify.Report
	if o := (verify.Options{Numerics: class, Brief: true}); before.Kernel != nil {
		report = verify.CheckKernel(before.Kernel, after.Kernel, o)
	} else {
		report = verify.Check(verify.Pair{Pixel: before.Pixel}, verify.Pair{Pixel: after.Pixel}, o)
	}
	switch {
	case report.Verdict >= verify.ProvedReal, report.Verdict == verify.Tested && class < r.Class:
		return nil
	case report.Unstable && class == passes.Real:
		return nil // the law holds; a sum of this program nearly cancels in one order alone
	}
	return fmt.Errorf("%v: %s", report.Verdict, report.Why)
}
