package mutate

import (
	"fmt"
	"io"
	"strings"
)

// Score counts outcomes.
type Score struct {
	Refuted, Unknown, Accepted, Wrong, Missed, Undecided, Crashed int
}

// Add counts an outcome.
func (s *Score) Add(o Outcome) {
	switch o {
	case RefutedMutant:
		s.Refuted++
	case UnknownMutant:
		s.Unknown++
	case Accepted:
		s.Accepted++
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

// Valid returns the number of mutants.
func (s Score) Valid() int {
	return s.Caught() + s.Accepted + s.Wrong + s.Missed + s.Undecided + s.Crashed
}

// Caught returns the number of rejected mutants.
func (s Score) Caught() int { return s.Refuted + s.Unknown }

// Different returns the number of mutants that no proof accepts. No execution kills the accepted ones, so
// they count as equivalent.
func (s Score) Different() int { return s.Valid() - s.Accepted }

// Share returns the mutation score: the share of caught mutants among those that no proof accepts (DeMillo,
// Lipton, Sayward 1978).
func (s Score) Share() float64 { return float64(s.Caught()) / float64(max(1, s.Different())) }

// ShareRefuted returns the share of mutants with a counterexample among those that no proof accepts.
func (s Score) ShareRefuted() float64 { return float64(s.Refuted) / float64(max(1, s.Different())) }

// Table is the score of a run.
type Table struct {
	Total Score
	Kinds map[string]*Score
	// Verdicts counts verdicts, with the methods that found the versions equal, by outcome.
	Verdicts map[string]*Score
	// Executable is the score of kinds that an execution can kill.
	Executable Score
}

// Tabulate counts results.
func Tabulate(list []Result) *Table {
	t := &Table{Kinds: map[string]*Score{}, Verdicts: map[string]*Score{}}
	for _, r := range list {
		if r.Outcome == NoMutant {
			continue
		}
		addOutcome(t.Kinds, r.Kind, r.Outcome)
		verdict := r.Verdict
		switch {
		// Mutants that the form check rejects, for example because of another interface, were not examined further.
		case r.Outcome == UnknownMutant && strings.HasPrefix(r.Why, "form:"):
			verdict += " (form refuses)"
		case r.Outcome != RefutedMutant:
			verdict += " " + r.Methods
		}
		addOutcome(t.Verdicts, verdict, r.Outcome)
		t.Total.Add(r.Outcome)
		if k := lookup(r.Kind); k != nil && !k.Declared {
			t.Executable.Add(r.Outcome)
		}
	}
	return t
}

func addOutcome(m map[string]*Score, key string, o Outcome) {
	if m[key] == nil {
		m[key] = &Score{}
	}
	m[key].Add(o)
}

// Write prints the table in Markdown.
func (t *Table) Write(w io.Writer) error {
	var b strings.Builder
	s := t.Total
	fmt.Fprintf(&b, "%d mutants of %d kinds: %d refuted with a counterexample, %d unknown, %d accepted by a proof, %d wrong, %d missed, %d undecided, %d crashed.\n",
		s.Valid(), len(t.Kinds), s.Refuted, s.Unknown, s.Accepted, s.Wrong, s.Missed, s.Undecided, s.Crashed)
	fmt.Fprintf(&b, "Of those that no proof accepts %.2f %% were caught; of those that an execution can show %.2f %% were refuted.\n\n",
		100*s.Share(), 100*t.Executable.ShareRefuted())
	b.WriteString("| verdict | refuted | unknown | accepted | wrong | missed | undecided |\n|---|---:|---:|---:|---:|---:|---:|\n")
	for _, v := range sortedKeys(t.Verdicts) {
		row(&b, v, t.Verdicts[v])
	}
	b.WriteString("\n| kind | refuted | unknown | accepted | wrong | missed | undecided | what it does |\n|---|---:|---:|---:|---:|---:|---:|---|\n")
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
	fmt.Fprintf(b, "| %s | %d | %d | %d | %d | %d | %d |", name, s.Refuted, s.Unknown, s.Accepted, s.Wrong+s.Crashed,
		s.Missed, s.Undecided)
	for _, m := range more {
		b.WriteString(" " + m + " |")
	}
	b.WriteByte('\n')
}
