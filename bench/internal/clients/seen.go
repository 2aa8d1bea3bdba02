package clients

import (
	"fmt"
	"strings"

	"github.com/shaderlift/shaderlift/asm/fx"
)

// Seen counts the passes of some effects for which a client drew something.
type Seen struct {
	Whole, Passes int            // effects with all passes seen, and passes
	Missed        map[string]int // passes that were not seen, by reason
}

func (s Seen) String() string {
	missed := 0
	for _, n := range s.Missed {
		missed += n
	}
	return fmt.Sprintf("%d of %d passes drawn, all of %d effects, missed %v", s.Passes-missed, s.Passes, s.Whole, s.Missed)
}

// Count counts the passes of an effect. why holds the reason for each pass without a draw, or "" for a seen
// pass.
func (s *Seen) Count(why map[string]string) {
	if s.Missed == nil {
		s.Missed = map[string]int{}
	}
	whole := true
	for _, reason := range why {
		s.Passes++
		if reason != "" {
			s.Missed[reason]++
			whole = false
		}
	}
	if whole {
		s.Whole++
	}
}

// Looked returns for each pass of an effect the reason why no draw shows anything, or "" if one does. why
// is the result of earlier scenes, and lines describe the latest one.
func Looked(why map[string]string, lines []string, e *fx.Effect) map[string]string {
	known := map[string]string{} // by technique and pass
	for t := range e.Techniques {
		for p := range e.Techniques[t].Passes {
			pass := fmt.Sprintf("%d/%d", t, p)
			known[pass] = "never begun"
			if old, ok := why[pass]; ok {
				known[pass] = old
			}
		}
	}
	for _, line := range lines {
		kind, rest, _ := strings.Cut(line, " ")
		key, rest, _ := strings.Cut(rest, " ")
		pass := strings.Join(strings.SplitN(key, "/", 3)[:min(2, strings.Count(key, "/"))], "/")
		switch covered, picture, _ := strings.Cut(rest, " "); {
		case kind == "missed" && key == "all":
			for pass := range known {
				known[pass] = "does not load"
			}
		case kind == "missed" && known[pass] == "never begun":
			known[pass] = rest
		case kind == "drawn" && !Blank(picture):
			known[pass] = ""
		case kind == "drawn" && known[pass] != "":
			known[pass] = "all is 0"
			if covered == "0" {
				known[pass] = "covers nothing"
			}
		}
	}
	return known
}
