package wording

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/diag"
	"github.com/shaderlift/shaderlift/opt"
	"github.com/shaderlift/shaderlift/passes/coarsen"
	"github.com/shaderlift/shaderlift/verify"
)

// uncoarsened returns the reason why a requested coarsening did not happen; levels never coarsen on
// their own.
func uncoarsened(r *shaderlift.Result) string {
	if !asm.BuiltKernels {
		return ""
	}
	for _, m := range r.Remarks {
		if m.Pass == coarsen.Pass.Name {
			return m.Pass + ": " + m.Message
		}
	}
	return ""
}

// Uneven returns the warnings about sides of the launch that the tile does not divide.
func Uneven(r *shaderlift.Result) (parts []string) {
	for _, m := range r.Remarks {
		if m.Code == "uneven" {
			parts = append(parts, m.Message)
		}
	}
	return parts
}

// unpriced returns the remark about an input without a cost.
func unpriced(r *shaderlift.Result) string {
	for _, m := range r.Remarks {
		if m.Pass == "" {
			return m.Message
		}
	}
	return "no part of it is supported"
}

// exceeded returns the rules of its model that the input breaks and the result of r keeps; the
// result may then cost more than the input.
func exceeded(r *shaderlift.Result) (rules []string) {
	for _, m := range r.Remarks {
		e := diag.LookupChange(m.Code)
		if m.Pass == "" && e != nil && e.Severity == diag.Limit && !slices.Contains(rules, string(m.Code)) {
			rules = append(rules, string(m.Code))
		}
	}
	return rules
}

// models returns the model of a program, and the model to which it was fitted.
func models(s *shaderlift.StageCosts) string {
	if s.Fitted != nil {
		return fmt.Sprintf("%s -> %s", s.Model, *s.Fitted)
	}
	return s.Model.String()
}

// Line returns the text about a successful input: its status, which the caller may colour, and separated by semicolons
// costs, verdict, and required changes of the application. With detail it has all costs that changed.
func Line(r *shaderlift.Result, status string, detail bool) string {
	what := costs(r, detail)
	if what == "" { // only a reason is known
		what = unpriced(r)
	}
	parts := []string{status + ": " + what}
	if rules := exceeded(r); len(rules) > 0 {
		parts = append(parts, "the input exceeds limits of its model ("+strings.Join(rules, ", ")+")")
	}
	if r.Status == shaderlift.Improved || r.Status == shaderlift.Changed {
		parts = append(parts, Verdict(r, detail))
	}
	parts = append(parts, Duties(r)...)
	if !detail {
		parts = append(parts, Uneven(r)...)
		if why := uncoarsened(r); r.Coarsened == nil && why != "" {
			parts = append(parts, why)
		}
	}
	if r.Partner != "" && r.Status != shaderlift.Unchanged {
		parts = append(parts, "with partner "+r.Partner)
	}
	return strings.Join(parts, "; ")
}

// Duties lists the conditions under which the application may use a result.
func Duties(r *shaderlift.Result) (parts []string) {
	if len(r.Uploads) > 0 {
		sets := make([]string, len(r.Uploads))
		for i, u := range r.Uploads {
			sets[i] = fmt.Sprintf("%s = %s", u.To, u.From)
		}
		parts = append(parts, "the application must also set "+strings.Join(sets, ", "))
	}
	if asm.BuiltKernels && r.Coarsened != nil {
		parts = append(parts, r.Coarsened.String())
	}
	if len(r.Assumes) > 0 && r.Status != shaderlift.Unchanged {
		parts = append(parts, "only if the application sets "+Join(r.Assumes, ", "))
	}
	if len(r.Promises) > 0 && r.Status != shaderlift.Unchanged {
		parts = append(parts, "only if the application keeps "+Join(r.Promises, ", "))
	}
	return parts
}

// Gains describes what a result gains besides slots, in texts that get shorter.
func Gains(r *shaderlift.Result) (texts []string) {
	note := ""
	if v := r.Verdict(); v < verify.Bounded {
		note = v.String() + ", "
	}
	faster, slower, saving, loss := speeds(r.Draws)
	switch percent := func(x float64) string {
		if x < 9.95 {
			return fmt.Sprintf("%.2g", x)
		}
		return fmt.Sprintf("%.0f", x)
	}; {
	case len(r.Parts) > 0:
		if cpu := hostInstructions(r); !fewerSlots(r) && cpu.After < cpu.Before {
			texts = append(texts, "CPU "+Change(cpu.Before, cpu.After))
		}
		if r.Passes != nil && fewerSlots(r) {
			for _, bytes := range []bool{true, false} {
				for _, named := range []int{4, 0} {
					texts = append(texts, strings.Join(effectGains(r, named, bytes), ", "))
				}
			}
		}
	case !visible(r):
		for i := range r.Stages {
			texts = append(texts, lesser(&r.Stages[i], false)...)
		}
		texts = []string{strings.Join(texts, ", ")}
		if texts[0] == "" && lessWork(r.Draws) {
			texts[0] = "less work"
		}
	case faster > 0 && loss >= 0.5:
		on := fmt.Sprintf("slower on %d of %d", slower, len(r.Draws))
		texts = append(texts, fmt.Sprintf("faster on %d, %s", faster, on), on)
	case faster > 0:
		on := fmt.Sprintf("faster on %d of %d", faster, len(r.Draws))
		texts = append(texts, on+" (up to "+percent(saving)+" %)", on+" ("+percent(saving)+" %)", on)
	case slower > 0:
		on := fmt.Sprintf("slower on %d of %d", slower, len(r.Draws))
		texts = append(texts, on+" (up to "+percent(loss)+" %)", on)
	case len(r.Draws) > 0:
		texts = append(texts, "same speed")
	}
	for i := range texts {
		texts[i] = note + texts[i]
	}
	return append(texts, strings.TrimSuffix(note, ", "))
}

// costs compares the costs of r's programs, the pixel program first. With detail it has all costs that changed, the
// nearest limit of each program, and the time on each GPU.
func costs(r *shaderlift.Result, detail bool) string {
	var parts []string
	if len(r.Parts) > 0 {
		parts = append(parts, partTotals(r))
	}
	hidden := r.Status == shaderlift.Improved && !visible(r)
	for i := len(r.Stages) - 1; i >= 0; i-- {
		parts = append(parts, stageCosts(&r.Stages[i], detail, hidden))
	}
	for i := len(r.Modules) - 1; i >= 0; i-- {
		parts = append(parts, moduleCosts(&r.Modules[i], len(r.Modules) > 1 && i == 0, detail))
	}
	text := ""
	switch {
	case detail:
		text = times(r.Draws)
	case r.Status != shaderlift.Unchanged:
		text = speed(r.Draws)
		if hidden && lessWork(r.Draws) {
			text = "less work, " + text
		}
	}
	if text != "" {
		parts = append(parts, text)
	}
	if k := r.Kernel; asm.BuiltKernels && k != nil {
		a, b := k.Before, k.CurrentCost()
		cycles := ""
		if a.Cycles > 0 {
			cycles = Count("cycle", int(a.Cycles), int(b.Cycles)) + ", "
		}
		parts = append(parts, fmt.Sprintf("%s%s of %s, %s, %s (%s: %s)", cycles, Count("group", a.ALU, b.ALU),
			Count("operation", a.Ops, b.Ops),
			Count("fetch", a.Fetches, b.Fetches), Registers(&a, &b),
			k.Target, Count("wavefront", a.Wavefronts, b.Wavefronts)))
	}
	return strings.Join(parts, ", ")
}

// moduleCosts compares the costs of a SPIR-V module: instructions, and with sends also the components that it sends to
// the fragment program.
func moduleCosts(m *shaderlift.ModuleCosts, sends, detail bool) string {
	a, b := m.Before, m.CurrentCost()
	text := strings.TrimSpace(m.Stage + " " + Count("instruction", a.Instructions, b.Instructions))
	if sends || detail && m.Stage != "" {
		text += ", " + Count("component", a.Components, b.Components)
	}
	if detail {
		text += ", " + Count("byte", a.Bytes, b.Bytes)
	}
	return text
}

// visible reports whether the slots or the times of a result decrease, so that its short line shows the gain.
func visible(r *shaderlift.Result) bool {
	faster, _, _, _ := speeds(r.Draws)
	return faster > 0 || len(r.Stages) == 0 || slices.ContainsFunc(r.Stages, func(s shaderlift.StageCosts) bool {
		return s.Fitted != nil || s.CurrentCost().Slots < s.Before.Slots
	})
}

// lessWork reports whether a program needs less work on a GPU.
func lessWork(draws []shaderlift.DrawCosts) bool {
	return slices.ContainsFunc(draws, func(c shaderlift.DrawCosts) bool {
		a, b := c.Before, c.CurrentCost()
		return b.Arithmetic < a.Arithmetic || b.Special < a.Special || b.Fetches < a.Fetches || b.Vertex < a.Vertex
	})
}

// stageCosts compares the costs of one program. Without detail it has the lesser costs only if they decrease and
// hidden is set: then slots and times do not show the gain.
func stageCosts(s *shaderlift.StageCosts, detail, hidden bool) string {
	texts := []string{fmt.Sprintf("%s %s", s.Stage, Count("slot", s.Before.Slots, s.CurrentCost().Slots))}
	if detail || hidden {
		texts = append(texts, lesser(s, detail)...)
	}
	if detail && s.Host != nil {
		texts = append(texts, fmt.Sprintf("%s on the CPU", Count("instruction", s.Host.Before, s.Host.After)))
	}
	text := strings.Join(texts, ", ")
	switch {
	case detail:
		text += fmt.Sprintf(" (%s: %s)", models(s), s.Binding())
	case s.Fitted != nil:
		text += fmt.Sprintf(" (%s)", models(s))
	}
	return text
}

// lesser describes the costs that decide between equal slots and decrease, or with all also the others that change.
func lesser(s *shaderlift.StageCosts, all bool) (texts []string) {
	a, b := s.Before, s.CurrentCost()
	add := func(word string, before, after int) {
		if after < before || all && after != before {
			texts = append(texts, Count(word, before, after))
		}
	}
	add("temporary", a.Temps, b.Temps)
	add("texture read phase", a.TextureRuns, b.TextureRuns)
	if s.Stage == d3d9.Pixel {
		if add("interpolator", a.Interpolators, b.Interpolators); all {
			add("interpolated component", a.Components, b.Components)
		}
	}
	return texts
}

// speed counts the GPUs on which a pixel takes less or more time, with the largest changes. It is empty without GPUs.
func speed(draws []shaderlift.DrawCosts) string {
	faster, slower, most, least := speeds(draws)
	switch {
	case len(draws) == 0:
		return ""
	case faster+slower == 0:
		return "same speed"
	case len(draws) == 1 && slower > 0:
		return fmt.Sprintf("%.3g %% slower on %s", least, draws[0].Target)
	case len(draws) == 1:
		return fmt.Sprintf("%.3g %% faster on %s", most, draws[0].Target)
	}
	var parts []string
	if faster > 0 {
		parts = append(parts, fmt.Sprintf("faster on %d of %d GPUs (up to %.3g %%)", faster, len(draws), most))
	}
	if slower > 0 {
		parts = append(parts, fmt.Sprintf("slower on %d of %d GPUs (up to %.3g %%)", slower, len(draws), least))
	}
	return strings.Join(parts, ", ")
}

// speeds counts the GPUs on which a pixel takes less or more time. It returns the largest saving and the largest
// loss in percent. Differences below 0.05 % do not count.
func speeds(draws []shaderlift.DrawCosts) (faster, slower int, saving, loss float64) {
	const ignored = 0.05
	for _, c := range draws {
		a, b := c.Before.Time, c.CurrentCost().Time
		switch change := 100 * (b/a - 1); {
		case a == 0: // nothing is drawn
		case change < -ignored:
			faster, saving = faster+1, max(saving, -change)
		case change > ignored:
			slower, loss = slower+1, max(loss, change)
		}
	}
	return faster, slower, saving, loss
}

// Count returns a change of a number with its noun.
func Count(word string, before, after int) string {
	return Change(before, after) + " " + Plural(word, after)
}

// Registers returns the numbers of registers, and those of them that the GPU keeps in memory.
func Registers(a, b *shaderlift.KernelCost) string {
	text := Count("register", a.GPRs, b.GPRs)
	if a.Spilled+b.Spilled > 0 {
		text += ", " + Change(a.Spilled, b.Spilled) + " of them in memory"
	}
	return text
}

// times returns the changed times of a pixel on GPUs, or else the limiting unit, grouping GPUs with
// the same one. Times count as changed if they differ as printed.
func times(draws []shaderlift.DrawCosts) string {
	var changed, waits []string
	bound := map[string][]string{}
	for _, c := range draws {
		a, b := c.Before, c.CurrentCost()
		if before, after := fmt.Sprintf("%.1f", a.Time), fmt.Sprintf("%.1f", b.Time); before != after {
			changed = append(changed, fmt.Sprintf("%s %s -> %s (%s)", c.Target, before, after, b.Bound))
			continue
		}
		if len(bound[b.Bound]) == 0 {
			waits = append(waits, b.Bound)
		}
		bound[b.Bound] = append(bound[b.Bound], c.Target)
	}
	var parts []string
	if len(changed) > 0 {
		parts = append(parts, "time of a pixel on "+strings.Join(changed, ", "))
	}
	for i, w := range waits {
		list := strings.Join(bound[w], ", ")
		waits[i] = fmt.Sprintf("%s (bound by %s)", list, w)
	}
	if len(waits) > 0 {
		parts = append(parts, "no time saved on "+strings.Join(waits, ", "))
	}
	return strings.Join(parts, ", ")
}

// partTotals returns the total costs of an effect's parts. Instructions on the CPU are only shown if slots do not
// show the gain.
func partTotals(r *shaderlift.Result) string {
	var t shaderlift.Totals
	t.Add(r)
	improved, failed := 0, 0
	for _, p := range r.Parts {
		switch p.Status {
		case shaderlift.Improved:
			improved++
		case shaderlift.Failed:
			failed++
		}
	}
	text := ""
	if t.PixelSlots != nil {
		text += fmt.Sprintf("pixel %s, ", Count("slot", t.PixelSlots.Before, t.PixelSlots.After))
	}
	if t.VertexSlots != nil {
		text += fmt.Sprintf("vertex %s, ", Count("slot", t.VertexSlots.Before, t.VertexSlots.After))
	}
	if cpu := hostInstructions(r); cpu.After < cpu.Before && !fewerSlots(r) {
		text += fmt.Sprintf("%s on the CPU, ", Count("instruction", cpu.Before, cpu.After))
	}
	if r.Passes == nil {
		text += fmt.Sprintf("%d of %d %s better", improved, len(r.Parts), Plural("part", len(r.Parts)))
	} else {
		text += strings.Join(effectGains(r, 4, true), ", ")
	}
	if failed > 0 {
		text += fmt.Sprintf(", %d unchanged because of errors", failed)
	}
	if len(r.Misfits) > 0 {
		text += fmt.Sprintf(", not fitted completely: %s %s", Plural("technique", len(r.Misfits)),
			strings.Join(r.Misfits, ", "))
	}
	return text
}

// effectGains describes what an effect gains: its passes, its size if bytes is set, and its GPUs. It names at most
// the given number of GPUs.
func effectGains(r *shaderlift.Result, named int, bytes bool) []string {
	texts := []string{fmt.Sprintf("%d of %d %s smaller", r.Passes.Smaller, r.Passes.All, Plural("pass", r.Passes.All))}
	if b := r.Bytes; bytes && b != nil && b.Before != b.After {
		texts = append(texts, fmt.Sprintf("%s -> %s bytes", thousands(b.Before), thousands(b.After)))
	}
	faster, slower, all := gpusOf(r.Parts)
	for _, g := range []struct {
		word string
		gpus []string
	}{{"faster", faster}, {"slower", slower}} {
		switch n := len(g.gpus); {
		case n > named:
			texts = append(texts, fmt.Sprintf("%s on %d of %d GPUs", g.word, n, all))
		case n > 0:
			texts = append(texts, g.word+" on "+Listed(g.gpus))
		}
	}
	if len(faster)+len(slower) == 0 && all > 0 && r.Status != shaderlift.Unchanged {
		texts = append(texts, "same speed")
	}
	return texts
}

// gpusOf returns the GPUs on which some draw is faster and none is slower, those on which some is slower, and the
// number of all.
func gpusOf(parts []*shaderlift.Result) (faster, slower []string, all int) {
	var names []string
	var counts [2]map[string]int
	counts[0], counts[1] = map[string]int{}, map[string]int{}
	for _, p := range parts {
		for i := range p.Draws {
			d := p.Draws[i : i+1]
			if name := d[0].Target; !slices.Contains(names, name) {
				names = append(names, name)
			}
			less, more, _, _ := speeds(d)
			counts[0][d[0].Target] += less
			counts[1][d[0].Target] += more
		}
	}
	for _, name := range names {
		switch {
		case counts[1][name] > 0:
			slower = append(slower, name)
		case counts[0][name] > 0:
			faster = append(faster, name)
		}
	}
	return faster, slower, len(names)
}

// Listed joins names as in a sentence.
func Listed(names []string) string {
	if n := len(names) - 1; n > 0 {
		return strings.Join(names[:n], ", ") + " and " + names[n]
	}
	return strings.Join(names, "")
}

// thousands returns n with a comma before every third digit.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// hostInstructions returns the total number of instructions of preshaders, which the CPU runs.
func hostInstructions(r *shaderlift.Result) (sum shaderlift.Change) {
	for _, u := range r.Units() {
		for _, s := range u.Stages {
			if s.Host != nil {
				sum.Before, sum.After = sum.Before+s.Host.Before, sum.After+s.Host.After
			}
		}
	}
	return sum
}

// fewerSlots reports whether the number of pixel or vertex slots decreases.
func fewerSlots(r *shaderlift.Result) bool {
	var t shaderlift.Totals
	t.Add(r)
	less := func(c *shaderlift.Change) bool { return c != nil && c.After < c.Before }
	return less(t.PixelSlots) || less(t.VertexSlots)
}

// Change returns "A -> B", or one number if both are equal.
func Change(before, after int) string {
	if before == after {
		return fmt.Sprint(before)
	}
	return fmt.Sprintf("%d -> %d", before, after)
}

// Verdict returns the confidence that the programs compute the same: the verdict with its methods, error
// probabilities and bounds or, without detail, only whether they are verified or tested.
func Verdict(r *shaderlift.Result, detail bool) string {
	switch {
	case r.Judgement == nil:
		return ""
	case !detail && r.Verdict() >= verify.Bounded:
		return "verified"
	case !detail:
		return r.Verdict().String()
	}
	text := r.Verdict().String()
	var notes []string
	if r.Epsilon > 0 && r.Verdict().OK() {
		notes = append(notes, fmt.Sprintf("wrong with probability below %.0e", r.Epsilon))
	}
	if r.MaxULP > 0 {
		notes = append(notes, fmt.Sprintf("%d ulp in executions", r.MaxULP))
	}
	if r.Bound != nil && r.Bound.Difference != 0 {
		notes = append(notes, r.Bound.String())
	}
	if r.NamesIgnored {
		notes = append(notes, "names ignored")
	}
	parts := []string{Join(r.Methods, ", "), strings.Join(notes, ", ")}
	if parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" }); len(parts) > 0 {
		text += " (" + strings.Join(parts, "; ") + ")"
	}
	return text
}

// Remark returns a remark with its place, code, option and savings.
func Remark(m shaderlift.Remark) string {
	text := strings.ReplaceAll(m.Message, "\n", "\n      ") + " [" + string(m.Code) + "]"
	if m.Pass != "" {
		text = m.Pass + ": " + text
	}
	text += Unlocked(m.Code, m.Unlock)
	if g := m.Gain; g != nil {
		text += saved(g)
	}
	stage := m.Stage
	switch {
	case m.Line > 0:
		text = fmt.Sprintf("line %d: %s", m.Line, text)
	case m.Offset > 0:
		text = fmt.Sprintf("+%#x: %s", m.Offset, text)
	case stage != "":
		stage += ":"
	}
	return strings.TrimLeft(stage+" "+text, " ")
}

// Unlocked describes the effect of an option on an instruction with a reason of this code.
func Unlocked(code asm.Code, option string) string {
	switch {
	case option == "":
		return ""
	case code == "per-launch":
		return "; with " + option + ", it would be computed beforehand"
	}
	return "; with " + option + ", it could move"
}

// saved returns the savings of a rewrite, or the empty string.
func saved(g *opt.Gain) string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{g.PixelSlots, "pixel slot"}, {g.VertexSlots, "vertex slot"}, {g.Temps, "temporary"}, {g.Cycles, "cycle"},
		{g.GPRs, "register"}} {
		if x.n != 0 {
			parts = append(parts, fmt.Sprintf("%+d %s", -x.n, Plural(x.what, max(x.n, -x.n))))
		}
	}
	for _, t := range g.Times {
		parts = append(parts, fmt.Sprintf("%+.3g on %s", -t.Time, t.Target))
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// Join joins the texts of list like strings.Join.
func Join[T fmt.Stringer](list []T, by string) string {
	texts := make([]string, len(list))
	for i, x := range list {
		texts[i] = x.String()
	}
	return strings.Join(texts, by)
}

// Plural returns word for the number n of things.
func Plural(word string, n int) string {
	switch {
	case n == 1:
		return word
	case strings.HasSuffix(word, "y"):
		return word[:len(word)-1] + "ies"
	case strings.HasSuffix(word, "ch"), strings.HasSuffix(word, "s"):
		return word + "es"
	}
	return word + "s"
}
