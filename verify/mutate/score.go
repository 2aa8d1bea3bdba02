package mutate

import (
	"fmt"
	"io"
	"strings"
)

// Score counts outcomes.
type Score struct {
	Refuted, Unknown, Equivalent, Wrong, Missed, Undecided, Crashed int
}

// Add counts an outcome.
func (s *Score) Add(o Outcome) {
	switch o {
	case RefutedMutant:
		s.Refuted++
	case UnknownMutant:
		s.Unknown++
	case Equivalence:
		s.Equivalent++
	case Wrong:
		s.Wrong++
	case Missed:
		s.Missed++
	case Undecided:
		s.Undecided++
	case Crashed:
		s.Crashed++
	}
}

// Valid is how many mutants there were.
func (s Score) Valid() int {
	return s.Caught() + s.Equivalent + s.Wrong + s.Missed + s.Undecided + s.Crashed
}

// Caught is how many were not let through.
func (s Score) Caught() int { return s.Refuted + s.Unknown }

// Different is how many are not known to be the same program: mutants that are undecided count as
// different, so that scores are lower bounds.
func (s Score) Different() int { return s.Valid() - s.Equivalent }

// Share is the mutation score: the share that was caught of those that are not known to be the same
// program (DeMillo, Lipton, Sayward 1978).
func (s Score) Share() float64 { return float64(s.Caught()) / float64(max(1, s.Different())) }

// ShareRefuted is the share of those with a counterexample.
func (s Score) ShareRefuted() float64 { return float64(s.Refuted) / float64(max(1, s.Different())) }

// Table is the score of a run.
type Table struct {
	Total Score
	Kinds map[string]*Score
	// Verdicts counts verdicts, with the rungs that found the sides equal, by what is known
	// of the mutant.
	Verdicts map[string]*Score
	// Executable is the score of kinds that an execution can show.
	Executable Score
}

// Tabulate counts results.
func Tabulate(list []Result) *Table {
	t := &Table{Kinds: map[string]*Score{}, Verdicts: map[string]*Score{}}
	for _, r := range list {
		if r.Outcome == NoMutant {
			continue
		}
		add(t.Kinds, r.Kind, r.Outcome)
		verdict := r.Verdict
		switch {
		// What the checks of rung 0 refuse, such as another interface, was not looked into.
		case r.Outcome == UnknownMutant && strings.HasPrefix(r.Why, "R0:"):
			verdict += " (R0 refuses)"
		case r.Outcome != RefutedMutant:
			verdict += " " + r.Rungs
		}
		add(t.Verdicts, verdict, r.Outcome)
		t.Total.Add(r.Outcome)
		if k := lookup(r.Kind); k != nil && !k.Declared {
			t.Executable.Add(r.Outcome)
		}
	}
	return t
}

func add(m map[string]*Score, key string, o Outcome) {
	if m[key] == nil {
		m[key] = &Score{}
	}
	m[key].Add(o)
}

// Write prints the table in Markdown.
func (t *Table) Write(w io.Writer) error {
	var b strings.Builder
	s := t.Total
	fmt.Fprintf(&b, "%d mutants of %d kinds: %d refuted with a counterexample, %d unknown, %d equivalent by proof, %d wrong, %d missed, %d undecided, %d crashed.\n",
		s.Valid(), len(t.Kinds), s.Refuted, s.Unknown, s.Equivalent, s.Wrong, s.Missed, s.Undecided, s.Crashed)
	fmt.Fprintf(&b, "Of those that are not equivalent %.2f %% were caught; of those that an execution can show %.2f %% were refuted.\n\n",
		100*s.Share(), 100*t.Executable.ShareRefuted())
	b.WriteString("| verdict | refuted | unknown | equivalent | wrong | missed | undecided |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, v := range sortedKeys(t.Verdicts) {
		row(&b, v, t.Verdicts[v])
	}
	b.WriteString("\n| kind | refuted | unknown | equivalent | wrong | missed | undecided | what it does |\n|---|---:|---:|---:|---:|---:|---:|---|\n")
	for i := range Kinds {
		k := &Kinds[i]
		if s := t.Kinds[k.String()]; s != nil {
			row(&b, k.String(), s, k.Doc)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// row prints a line; crashes count as wrong.
func row(b *strings.Builder, name string, s *Score, more ...string) {
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d |", name, s.Refuted, s.Unknown, s.Equivalent, s.Wrong+s.Crashed, s.Missed, s.Undecided)
	for _, m := range more {
		b.WriteString(" " + m + " |")
	}
	b.WriteByte('\n')
}
