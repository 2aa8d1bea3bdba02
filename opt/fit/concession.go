package fit

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/input"
)

// Concession is a relaxation that makes a program fit. Each was tried alone and its result verified.
type Concession struct {
	// Option is the option of the command.
	Option string `json:"option"`
	// Parameter is the name of the constants that Option sets, if the program has them.
	Parameter string `json:"parameter,omitempty"`
}

// String returns the option and the parameter that it sets.
func (c Concession) String() string {
	if c.Parameter == "" {
		return c.Option
	}
	return fmt.Sprintf("%s (%s)", c.Option, c.Parameter)
}

const (
	// maxTrials limits the constants that are tried.
	maxTrials = 8
	// maxConcessions limits the constants that are reported.
	maxConcessions = 3
	// maxTogether limits the constants that are combined if one is not enough.
	maxTogether = 4
)

// Way is an option that promises a property, and its change to the options O of a run.
type Way[O any] struct {
	Option string
	Give   func(*O)
}

// Conceded returns the first option that suffices alone. If there is none, it returns a minimal set of
// options that suffices together.
func Conceded[O any](ways []Way[O], fits func(func(*O)) bool) (c Concession) {
	all := func(ways []Way[O]) func(*O) {
		return func(j *O) {
			for _, w := range ways {
				w.Give(j)
			}
		}
	}
	for _, w := range ways {
		if fits(w.Give) {
			return Concession{Option: w.Option}
		}
	}
	if len(ways) < 2 || !fits(all(ways)) {
		return c
	}
	// Options are dropped from the end, since the first are easier to promise.
	for i := len(ways) - 1; i >= 0 && len(ways) > 2; i-- {
		if without := slices.Delete(slices.Clone(ways), i, i+1); fits(all(without)) {
			ways = without
		}
	}
	for _, w := range ways {
		c.Option = strings.TrimSpace(c.Option + " " + w.Option)
	}
	return c
}

// Enough returns sets of constants, each of which suffices: up to maxConcessions single constants. If
// there is none, it returns one minimal set of up to maxTogether constants.
func Enough(constants []Candidate, fits func([]Candidate) bool) (list [][]Candidate) {
	for _, c := range constants[:min(len(constants), maxTrials)] {
		known := slices.ContainsFunc(list, func(set []Candidate) bool { return set[0].Reg == c.Reg })
		if !known && len(list) < maxConcessions && fits([]Candidate{c}) {
			list = append(list, []Candidate{c})
		}
	}
	if len(list) > 0 {
		return list
	}
	// Add one after the other, most useful first, until they suffice.
	var set []Candidate
	for _, c := range constants {
		if slices.ContainsFunc(set, func(d Candidate) bool {
			return d.Reg == c.Reg && slices.Equal(d.Comps, c.Comps)
		}) {
			continue
		}
		if set = append(set, c); len(set) > maxTogether {
			return nil
		}
		if len(set) > 1 && fits(set) {
			break
		}
	}
	if len(set) < 2 || !fits(set) {
		return nil
	}
	for i := len(set) - 2; i >= 0; i-- { // the last constant made it fit
		if without := slices.Delete(slices.Clone(set), i, i+1); fits(without) {
			set = without
		}
	}
	return [][]Candidate{set}
}

// OfConstants returns the concession for all constants of a set.
func OfConstants(set []Candidate) (c Concession) {
	var options, names []string
	for _, one := range set {
		options = append(options, "--constant "+one.Constant.String())
		if one.Name != "" && !slices.Contains(names, one.Name) {
			names = append(names, one.Name)
		}
	}
	return Concession{Option: strings.Join(options, " "), Parameter: strings.Join(names, ", ")}
}

// Candidate is a bool of the application whose value, if known, decides branches.
type Candidate struct {
	input.Constant
	Name string // of the parameter
}

// Promisable lists both values of each bool that a pixel program reads and does not define.
func Promisable(programs []*d3d9.Program) (list []Candidate) {
	for _, q := range programs {
		if q.Model.Stage != d3d9.Pixel {
			continue
		}
		done := map[d3d9.Reg]bool{}
		for i := range q.Insts {
			if in := &q.Insts[i]; in.Op == d3d9.OpDefB {
				done[in.Dst.Reg] = true
			}
		}
		table, _ := q.ConstantTable() // used for names only
		for i := range q.Insts {
			for _, s := range q.Insts[i].Sources() {
				if s.File != d3d9.ConstBool || done[s.Reg] {
					continue
				}
				done[s.Reg] = true
				name := ""
				if e := table.Lookup(s.Reg); e != nil {
					name = e.Name
				}
				for _, value := range []bool{false, true} {
					c, err := input.ParseConstant(fmt.Sprintf("ps:b%d=%t", s.Index, value))
					if err == nil { // fails for invalid registers
						list = append(list, Candidate{Constant: c, Name: name})
					}
				}
			}
		}
	}
	return list
}
