package opt

import (
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/passes"
)

// motion is the result of code motion on a pair if the vertex program may read constants of the pixel
// program. Before code motion a pipeline behaves the same with and without these constants, and also
// after it if none of them moves. So a run with the constants differs only if some move in an attempt
// of the run without them. tryMotions checks this after each attempt, because the constants help few
// pairs.
type motion struct {
	mirrors func(register uint16) bool
	known   bool
	moves   bool // or unknown
	// from is the state of the first attempt after its last code motion, from which the run resumes. It
	// has no unit if nothing moves.
	from passes.Plan
}

// useless reports whether the constants are known not to move.
func (m *motion) useless() bool { return m.known && !m.moves }

func (m *motion) release() {
	if m.from.Unit != nil {
		m.from.Unit.Release()
	}
}

// tryMotions records the effect of an attempt on the motions of the job. It reruns the stages up to the
// last code motion, whose prices are cached. It skips explicit pipelines and Options.Keep. For a strict
// pair the effect is unknown, and counts as moving. A later motion has fewer constants, and is tried
// only if the first one moves some.
func (z *optimizer) tryMotions() {
	p, ok := z.subject.(*pairSubject)
	if !ok || z.o.Keep || z.o.spelled() {
		return
	}
	for i, m := range z.motions {
		switch first := !m.known; {
		case m.moves:
		case p.strict || i > 0 && !z.motions[0].moves:
			m.known, m.moves = true, true
		default:
			m.known = true
			z.tryMotion(p, m, first && !z.blamed)
		}
	}
}

// tryMotion tries one motion. In the first attempt, it keeps the state for the run to resume from.
func (z *optimizer) tryMotion(p *pairSubject, m *motion, first bool) {
	end := len(z.pipeline)
	for end > 0 && z.pipeline[end-1].Pass != codemotion.Pass {
		end--
	}
	u := p.freshUnit()
	if u == nil || end == 0 {
		return
	}
	cfg := z.config(z.class)
	cfg.HostMirrored, cfg.Mirrors = true, m.mirrors
	report, err := passes.Run(u, z.pipeline[:end], cfg)
	m.moves = err != nil || z.o.spend.rewrite.Err() != nil || len(u.Uploads) > 0
	if first && err == nil && len(u.Uploads) > 0 {
		m.from = passes.Plan{Unit: u, Report: report}
		return
	}
	u.Release()
}
