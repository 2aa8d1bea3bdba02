package shaderlift

import (
	"github.com/shaderlift/shaderlift/codemotion"
	"github.com/shaderlift/shaderlift/passes"
)

// motion is what code motion makes of a pair if the vertex program may read constants of the pixel
// program. Up to there a pipeline does the same without them, and behind it too if none of them moves.
// So a run with these constants differs from one without them only if some move in an attempt of the
// latter, which is told after each attempt: most pairs have no use for any.
type motion struct {
	mirrors func(register uint16) bool
	known   bool
	moves   bool // or it cannot be told
	// from is where the first attempt is behind its last motion, for the run to go on; without a unit
	// if nothing moves in that.
	from plan
}

// useless reports whether it is known that no constant moves.
func (m *motion) useless() bool { return m.known && !m.moves }

func (m *motion) release() {
	if m.from.unit != nil {
		m.from.unit.Release()
	}
}

// tryMotions tells the motions of the job what an attempt leads to: the stages up to the last motion
// are run once more, and find their prices remembered. Nothing is told of a pipeline that is carried
// out as a whole at first, nor by prices that are not those of a first attempt. The motion behind
// another one is of fewer constants and asked for only if those of the other move.
func (z *optimizer) tryMotions() {
	p, ok := z.subject.(*pair)
	if !ok || z.o.Keep || z.o.spelled() {
		return
	}
	for i, m := range z.o.motions {
		switch first := !m.known; {
		case m.moves:
		case p.strict || i > 0 && !z.o.motions[0].moves:
			m.known, m.moves = true, true
		default:
			m.known = true
			z.tryMotion(p, m, first && !z.blamed)
		}
	}
}

// tryMotion tries one, which the run goes on from if this is the first attempt.
func (z *optimizer) tryMotion(p *pair, m *motion, first bool) {
	end := len(z.pipeline)
	for end > 0 && z.pipeline[end-1].Pass != codemotion.Pass {
		end--
	}
	u := p.unit()
	if u == nil || end == 0 {
		return
	}
	cfg := z.config(z.class)
	cfg.HostMirrored, cfg.Mirrors = true, m.mirrors
	report, err := passes.Run(u, z.pipeline[:end], cfg)
	m.moves = err != nil || z.o.spend.rewrite.Err() != nil || len(u.Uploads) > 0
	if first && err == nil && len(u.Uploads) > 0 {
		m.from = plan{unit: u, report: report}
		return
	}
	u.Release()
}
