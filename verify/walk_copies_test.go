package verify

import (
	"fmt"
	"strings"
	"testing"

	much "github.com/shaderlift/shaderlift/internal/test/testcorpus"
	"github.com/shaderlift/shaderlift/verify/internal/proof"
)

// copiesCase is a program with a loop that can be unrolled with all its exits.
type copiesCase struct {
	name  string
	whole string // has @ for the body, and # for the count of a register
	count int
	body  string
	// wrong are changes of one copy of the body: pairs of what is replaced and by what.
	wrong [][2]string
}

// unrolled returns the program whose loop has these copies of the body.
func (c *copiesCase) unrolled(copies ...string) string {
	return strings.NewReplacer("@", strings.Join(copies, ""), "#", fmt.Sprint(c.count/len(copies))).Replace(c.whole)
}

// copies returns k copies of the body.
func (c *copiesCase) copies(k int) []string {
	list := make([]string, k)
	for i := range list {
		list[i] = c.body
	}
	return list
}

// proofOfText is the verdict of the proofs by terms and field alone, with all effort.
func proofOfText(t *testing.T, before, after string) Verdict {
	t.Helper()
	options := Options{Numerics: Real, Seed: 7}
	var l *comparison
	if strings.HasPrefix(before, "ps_") {
		c := &checker{comparison: comparison{Options: options}, before: Pair{Pixel: parse(t, before)},
			after: Pair{Pixel: parse(t, after)}}
		if err := c.compareInterfaces(); err != nil {
			t.Fatal(err)
		}
		c.prove(c.liftPrograms())
		l = &c.comparison
	} else {
		c := &kernelChecker{comparison: comparison{Options: options}, before: parseKernel(t, before), after: parseKernel(t, after)}
		c.prove(c.liftKernels())
		l = &c.comparison
	}
	if l.terms.diff == nil && l.terms.why == "" {
		return Proved
	}
	if l.field.Outcome != proof.Equal {
		l.deepen()
	}
	if l.field.Outcome == proof.Equal {
		return ProvedReal
	}
	return Tested
}

const (
	copiesTest  = "ige r2.x, r1.x, cb0[0].x; break_logicalnz r2.x;"
	copiesSum   = "itof r4.x, r1.x; mad r0, r0, cb0[2], r4.x;"
	copiesNext  = "iadd r1.x, r1.x, l0.y;"
	copiesWhile = "whileloop;@endloop;"
)

// copiesKernel returns a kernel with this loop.
func copiesKernel(loop string) string {
	return psKernel("mov r0, v0; mov r5, v1; mov r1, l0.x; dcl_literal l7, 50401, 0, 0, 0;" + loop +
		"mov o0, r0; mov o1, r5")
}

// copiesPixel returns a pixel program with this loop. Its body is made long, so that it is not executed trip by trip.
func copiesPixel(loop string) string {
	return ps3("def c9, 0, 1, 2, 3; defi i1, #, 0, 1, 0; mov r0, v0; mov r1, c9.x; mov r5, v1;" + loop +
		"add r0, r0, r1; add r0, r0, r5; mov oC0, r0")
}

// copiesPad makes a body long.
var copiesPad = strings.Repeat("mad r5, r5, c4, c5;", 40)

// copiesCases are loops, with changes of a copy that the verifier has to refuse.
func copiesCases() []copiesCase {
	common := [][2]string{
		{"break_logicalnz r2.x;", ""}, {"break_logicalnz r2.x", "break_logicalz r2.x"}, {"cb0[0].x",
			"cb0[0].y"}, {"ige r2.x, r1.x, cb0[0].x", "ilt r2.x, cb0[0].x, r1.x"},
		{copiesNext, "iadd r1.x, r1.x, l0.z;"}, {copiesNext, ""}, {copiesNext, copiesNext + copiesNext},
		{copiesTest, "iadd r2.x, r1.x, l0.y; ige r2.x, r2.x, cb0[0].x; break_logicalnz r2.x;"},
		{copiesTest, "iadd r2.x, r1.x, l0.y; ige r2.x, r2.x, cb0[1].x; break_logicalnz r2.x;"},
	}
	sum := [][2]string{
		{copiesSum, ""}, {copiesSum, copiesSum + copiesSum}, {"mad r0, r0", "mad r0, r0.yxzw"}, {"cb0[2]",
			"cb0[3]"}, {"itof r4.x, r1.x;", "itof r4.x, r1.y;"}, {"mad r0,", "mad r0.xyz_,"},
		{copiesTest + copiesSum, copiesSum + copiesTest}, {copiesSum + copiesNext, copiesNext + copiesSum},
	}
	all := append(common[:len(common):len(common)], sum...)
	float := "lt r3.x, r0.x, cb0[1].x; break_logicalnz r3.x;"
	pixel := "if_ge r1.x, c0.x; break; endif; mad r0, r0, c1, c2;" + copiesPad + "add r1.x, r1.x, c9.y;"
	broken := "break_ge r1.x, c0.x; mad r0, r0, c1, c2;" + copiesPad + "add r1.x, r1.x, c9.y;"
	pixelWrong := [][2]string{
		{"break_ge", "break_gt"}, {"break_ge r1.x, c0.x;", ""}, {"break_ge r1.x, c0.x",
			"break_ge r1.x, c0.y"}, {"break_ge r1.x, c0.x", "break_ge r0.x, c0.x"},
		{"add r1.x, r1.x, c9.y", "add r1.x, r1.x, c9.z"}, {"add r1.x, r1.x, c9.y;", ""}, {"mad r0, r0, c1, c2;",
			""}, {"mad r0, r0, c1, c2;", "mad r0, r0, c1, c2; mad r0, r0, c1, c2;"},
		{"mad r0, r0, c1, c2", "mad r0.xyz, r0, c1, c2"}, {"break_ge r1.x, c0.x; mad r0, r0, c1, c2;",
			"mad r0, r0, c1, c2; break_ge r1.x, c0.x;"}, {"c4, c5", "c5, c4"},
	}
	return []copiesCase{
		{name: "while", whole: copiesKernel(copiesWhile), body: copiesTest + copiesSum + copiesNext, wrong: all},
		{name: "unsigned", whole: copiesKernel(copiesWhile),
			body: strings.Replace(copiesTest, "ige", "uge", 1) + copiesSum +
				copiesNext, wrong: append([][2]string{{"uge", "ige"}, {"uge", "ieq"}}, sum[:6]...)},
		{name: "two exits", whole: copiesKernel(copiesWhile),
			body: copiesTest + copiesSum + float + "add r5, r5, r0;" +
				copiesNext, wrong: append(all[:len(all)-1:len(all)-1], [][2]string{
				{"add r5, r5, r0;", ""}, {float, ""}, {copiesTest + copiesSum + float, copiesSum + float + copiesTest},
				{float + "add r5, r5, r0;", "add r5, r5, r0;" + float}, {"break_logicalnz r3.x",
					"break_logicalnz r2.x"}, {"lt r3.x, r0.x", "lt r3.x, r0.y"},
				{"lt r3.x, r0.x", "add r3.x, r0.x, cb0[4].x; sub r3.x, r3.x, cb0[4].x; lt r3.x, r3.x"}, {"lt r3.x, r0.x, cb0[1].x",
					"ge r3.x, cb0[1].x, r0.x"}, {"r0.x, cb0[1].x", "cb0[1].x, r0.x"},
			}...)},
		{name: "test behind", whole: copiesKernel(copiesWhile), body: copiesSum + copiesNext + copiesTest,
			wrong: append(common[:len(common):len(common)], sum[:6]...)},
		{name: "if", whole: copiesKernel(copiesWhile),
			body: "ige r2.x, r1.x, cb0[0].x; if_logicalnz r2.x; add r5, r5, r0; break; endif;" + copiesSum +
				copiesNext, wrong: append(sum[:6:6], [][2]string{
				{"add r5, r5, r0; break; endif;", "break; endif; add r5, r5, r0;"}, {"add r5, r5, r0;", ""}, {"break;",
					""}, {"if_logicalnz", "if_logicalz"}, {"add r5, r5, r0", "add r5, r5, v0"}}...)},
		{name: "store", whole: copiesKernel(copiesWhile), body: copiesTest + copiesSum + "mov g[r1.x], r0;" + copiesNext,
			wrong: append(all[:len(all)-1:len(all)-1], [][2]string{
				{"g[r1.x]", "g[r1.x+1]"}, {"g[r1.x]", "g[r1.y]"}, {"mov g[r1.x], r0;", ""}, {"mov g[r1.x], r0",
					"mov g[r1.x], r5"}, {"mov g[r1.x], r0", "mov g[r1.x].xy, r0"}, {copiesSum +
					"mov g[r1.x], r0;", "mov g[r1.x], r0;" + copiesSum},
				{copiesTest + copiesSum + "mov g[r1.x], r0;",
					"mov g[r1.x], r0;" + copiesTest + copiesSum}, {"mov g[r1.x], r0;" + copiesNext, copiesNext +
					"mov g[r1.x], r0;"}}...)},
		{name: "fetch", whole: copiesKernel(copiesWhile),
			body: copiesTest + "itof r4.x, r1.x; sample_resource(0)_sampler(0) r6, r4.xx; add r0, r0, r6;" +
				copiesNext, wrong: append(common[:len(common):len(common)], [][2]string{
				{"resource(0)", "resource(1)"}, {"r4.xx", "r4.xy"}, {"add r0, r0, r6", "add r0, r0, r6.yxzw"}}...)},
		{name: "nested", whole: copiesKernel(copiesWhile),
			body: copiesTest + "mov r7.x, l0.x; whileloop; ige r2.y, r7.x, r1.x; break_logicalnz r2.y; mad r0, r0, cb0[2], cb0[3]; iadd r7.x, r7.x, l0.y; endloop;" + copiesNext,
			wrong: append(common[:len(common):len(common)],
				[][2]string{{"mov r7.x, l0.x;", ""}, {"r7.x, r1.x", "r7.x, cb0[0].x"}, {"mov r7.x, l0.x", "mov r7.x, l0.y"},
					{"iadd r7.x, r7.x, l0.y", "iadd r7.x, r7.x, l0.z"},
					{"mad r0, r0, cb0[2]", "mad r0, r0, cb0[3]"}, {"r2.y, r7.x, r1.x", "r2.y, r1.x, r7.x"}}...)},
		{name: "inner", whole: copiesKernel("mov r7.x, l0.x; whileloop; ige r2.y, r7.x, cb0[0].y; break_logicalnz r2.y; mov r1.x, l0.x; " + copiesWhile + "add r5, r5, r0; iadd r7.x, r7.x, l0.y; endloop;"),
			body: copiesTest + copiesSum + copiesNext, wrong: all},
		{name: "literals", whole: copiesKernel(copiesWhile),
			body: "ige r2.x, r1.x, l7.x; break_logicalnz r2.x; " + copiesSum +
				copiesNext, wrong: append(sum[:6:6], [][2]string{{copiesNext, ""}, {"l7.x", "l7.y"}}...)},
		{name: "rep", whole: copiesPixel("rep i1;@endrep;"), count: 240, body: broken, wrong: pixelWrong},
		{name: "rep if", whole: copiesPixel("rep i1;@endrep;"), count: 252, body: pixel, wrong: pixelWrong[4:9]},
		{name: "loop", whole: copiesPixel("loop aL, i1;@endloop;"), count: 240, body: broken, wrong: pixelWrong},
		{name: "rep in rep", whole: copiesPixel("rep i0; rep i1;@endrep; mul r1, r1, c6; endrep;"), count: 240,
			body: broken, wrong: pixelWrong},
		{name: "texkill", whole: copiesPixel("rep i1;@endrep;"), count: 240, body: "texkill r0;" + broken,
			wrong: append(pixelWrong[:8:8], [][2]string{{"texkill r0;", ""}, {"texkill r0", "texkill r1"}}...)},
	}
}

// TestCopies proves loops unrolled with all their exits, in both directions. It refuses each of them with a
// change of one copy.
func TestCopies(t *testing.T) {
	t.Parallel()
	wrong, every := 0, much.Count(3, 1)
	for n, c := range copiesCases() {
		before := c.unrolled(c.body)
		for _, k := range []int{2, 3, 4} {
			after := c.unrolled(c.copies(k)...)
			if v, w := proofOfText(t, before, after), proofOfText(t, after, before); v != Proved || w != Proved {
				t.Errorf("%s, %d copies: %v, exchanged %v", c.name, k, v, w)
			}
		}
		for i, x := range c.wrong {
			if (i+n)%every != 0 {
				continue
			}
			k := 2 + i/3%3
			copies := c.copies(k)
			at := i % k
			if copies[at] = strings.Replace(c.body, x[0], x[1], 1); copies[at] == c.body {
				t.Fatalf("%s has no %q", c.name, x[0])
			}
			wrong++
			after := c.unrolled(copies...)
			if i%2 == 1 {
				before, after = after, before
			}
			if v := proofOfText(t, before, after); v != Tested {
				t.Errorf("%s, copy %d of %d with %q instead of %q: %v", c.name, at, k, x[1], x[0], v)
			}
			before = c.unrolled(c.body)
		}
	}
	t.Logf("%d wrong variants refused", wrong)
}

// TestCopiesBeyond has loops whose copies differ in ways that keep all results, and neighbours of these that do not.
func TestCopiesBeyond(t *testing.T) {
	t.Parallel()
	cases := map[string]copiesCase{}
	for _, c := range copiesCases() {
		cases[c.name] = c
	}
	while, rep, two, nested := cases["while"], cases["rep"], cases["two exits"], cases["nested"]
	replaced := func(c copiesCase, k int, pairs ...string) string {
		copies := c.copies(k)
		copies[k-1] = strings.NewReplacer(pairs...).Replace(c.body)
		if copies[k-1] == c.body {
			t.Fatalf("nothing replaced in %s", c.name)
		}
		return c.unrolled(copies...)
	}
	counted := func(loop string, count int, copies ...string) string {
		c := copiesCase{whole: copiesPixel(loop), count: count * len(copies)}
		return c.unrolled(copies...)
	}
	with := func(c copiesCase, pairs ...string) copiesCase {
		c.body = strings.NewReplacer(pairs...).Replace(c.body)
		return c
	}
	const inner = "whileloop; ige r2.y, r7.x, r1.x; break_logicalnz r2.y; mad r0, r0, cb0[2], cb0[3]; iadd r7.x, r7.x, l0.y; endloop;"
	const trip = "ige r2.y, r7.x, r1.x; break_logicalnz r2.y; mad r0, r0, cb0[2], cb0[3]; iadd r7.x, r7.x, l0.y;"
	sums := with(while, copiesSum, "add r0, r0, cb0[2]; add r0, r0, cb0[3];")
	sumExit := with(two, copiesSum, "add r0, r0, cb0[2]; add r0, r0, cb0[3];")
	read := with(rep, "mad r0, r0, c1, c2;", "texld r3, v0, s0; mad r0, r0, c1, r3;", "c0.x", "r4.x", "break_ge",
		"add r4.x, c0.x, c0.y; add r4.x, r4.x, v0.y; break_ge")
	dropping := with(while, copiesSum, copiesSum+"lt r3.x, r0.x, cb0[1].x; discard_logicalnz r3.x;")
	barrier := copiesCase{whole: csKernel("mov r0, l0.x; mov r1.x, l0.x; whileloop;@endloop; mov g[vaTid.x], r0"),
		body: copiesTest + "iadd r0, r0, r1.x; mov g[r1.x], r0; fence_threads_memory;" + copiesNext}
	indexed := with(rep, "mad r0, r0, c1, c2;", "mad r0, r0, c1, v[aL];")
	// Some cases are right, and nothing proves them: a body of 17 copies, 2 copies against 3, other copies of an
	// inner loop in each copy.
	for _, c := range []struct {
		name          string
		before, after string
		want          Verdict
	}{
		{"16 copies", while.unrolled(while.body), while.unrolled(while.copies(16)...), Proved},
		{"17 copies", while.unrolled(while.body), while.unrolled(while.copies(17)...), Tested},
		{"2 and 4 copies", while.unrolled(while.copies(2)...), while.unrolled(while.copies(4)...), Proved},
		{"2 and 3 copies", while.unrolled(while.copies(2)...), while.unrolled(while.copies(3)...), Tested},
		{"inner and outer", nested.unrolled(nested.body),
			strings.ReplaceAll(nested.unrolled(nested.copies(2)...), trip, strings.Repeat(trip, 3)), Proved},
		{"inner of before", strings.ReplaceAll(nested.unrolled(nested.body), trip, strings.Repeat(trip, 3)),
			nested.unrolled(nested.copies(2)...), Proved},
		{"4 and 4 copies", nested.unrolled(nested.body),
			strings.ReplaceAll(nested.unrolled(nested.copies(4)...), trip, strings.Repeat(trip, 4)), Proved},
		{"4 and 5 copies", nested.unrolled(nested.body),
			strings.ReplaceAll(nested.unrolled(nested.copies(4)...), trip, strings.Repeat(trip, 5)), Tested},
		{"inner in one copy", nested.unrolled(nested.body), replaced(nested, 2, trip, strings.Repeat(trip, 3)), Tested},
		{"inner wrong in one copy", nested.unrolled(nested.body),
			replaced(nested, 2, inner, strings.Replace(inner, trip,
				strings.Repeat(trip, 2)+strings.Replace(trip, "l0.y", "l0.z", 1), 1)), Tested},
		{"operands exchanged", while.unrolled(while.body), replaced(while, 2, "r0, cb0[2], r4.x", "cb0[2], r0, r4.x"),
			Proved},
		{"sum in another order", sums.unrolled(sums.body),
			replaced(sums, 3, "add r0, r0, cb0[2]; add r0, r0, cb0[3];", "add r0, r0, cb0[3]; add r0, r0, cb0[2];"), ProvedReal},
		{"sum of others", sums.unrolled(sums.body),
			replaced(sums, 3, "add r0, r0, cb0[2]; add r0, r0, cb0[3];", "add r0, r0, cb0[3]; add r0, r0, cb0[3];"), Tested},
		{"exit by a sum in another order", sumExit.unrolled(sumExit.body),
			replaced(sumExit, 2, "add r0, r0, cb0[2]; add r0, r0, cb0[3];", "add r0, r0, cb0[3]; add r0, r0, cb0[2];"), Tested},
		{"read", read.unrolled(read.body), read.unrolled(read.copies(2)...), Proved},
		{"read where rounding decides", read.unrolled(read.body),
			replaced(read, 2, "add r4.x, c0.x, c0.y; add r4.x, r4.x, v0.y;",
				"add r4.x, c0.y, v0.y; add r4.x, r4.x, c0.x;"), Tested},
		{"read before the exit", read.unrolled(read.body),
			replaced(read, 2, "break_ge r1.x, r4.x; texld r3, v0, s0;", "texld r3, v0, s0; break_ge r1.x, r4.x;"), Tested},
		{"dropping", dropping.unrolled(dropping.body), dropping.unrolled(dropping.copies(2)...), Proved},
		{"dropping before the exit", dropping.unrolled(dropping.body),
			replaced(dropping, 2, copiesTest, "lt r3.x, r0.x, cb0[1].x; discard_logicalnz r3.x;"+copiesTest), Tested},
		{"dropping once", dropping.unrolled(dropping.body), replaced(dropping, 2, "discard_logicalnz r3.x;", ""), Tested},
		{"barrier", barrier.unrolled(barrier.body), barrier.unrolled(barrier.copies(2)...), Proved},
		{"barrier missing", barrier.unrolled(barrier.body), replaced(barrier, 2, "fence_threads_memory;", ""), Tested},
		{"barrier before the exit", barrier.unrolled(barrier.body),
			replaced(barrier, 2, copiesTest, "fence_threads_memory;"+copiesTest), Tested},
		{"count", counted("rep i1;@endrep;", 240, rep.body), counted("rep i1;@endrep;", 80, rep.copies(3)...), Proved},
		{"count that 2 does not divide", counted("rep i1;@endrep;", 241, rep.body),
			counted("rep i1;@endrep;", 120, rep.copies(2)...), Tested},
		{"count that 2 does not divide, rounded up", counted("rep i1;@endrep;", 241, rep.body),
			counted("rep i1;@endrep;", 121, rep.copies(2)...), Tested},
		{"count of one trip more", counted("rep i1;@endrep;", 240, rep.body),
			counted("rep i1;@endrep;", 121, rep.copies(2)...), Tested},
		{"same count", counted("rep i1;@endrep;", 240, rep.body), counted("rep i1;@endrep;", 240, rep.copies(2)...), Tested},
		{"counter that is read", counted("loop aL, i1;@endloop;", 240, indexed.body),
			counted("loop aL, i1;@endloop;", 120, indexed.copies(2)...), Tested},
		{"unknown count", counted("rep i0;@endrep;", 1, rep.body), counted("rep i0;@endrep;", 1, rep.copies(2)...), Tested},
		{"unknown counts", counted("rep i0;@endrep;", 1, rep.body), counted("rep i2;@endrep;", 1, rep.copies(2)...), Tested},
	} {
		if v := proofOfText(t, c.before, c.after); v != c.want {
			t.Errorf("%s: %v, want %v", c.name, v, c.want)
		}
		if v := proofOfText(t, c.after, c.before); v != c.want {
			t.Errorf("%s, exchanged: %v, want %v", c.name, v, c.want)
		}
	}
}
