// Package series has the parts that commands share which perform many tasks derived from a seed:
// their flags, memory settings and profiling.
package series

import (
	"flag"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"time"
)

// Options are the flags.
type Options struct {
	N, Seed uint64
	Jobs    int
	State   string
	Limit   time.Duration
	Profile string
}

// Register declares the flags. item names one task; n and limit are defaults.
func (o *Options) Register(f *flag.FlagSet, item string, n uint64, limit time.Duration) {
	f.Uint64Var(&o.N, "n", n, item+"s to make, including those of earlier runs")
	f.Uint64Var(&o.Seed, "seed", 1, "seed of the random choices")
	f.IntVar(&o.Jobs, "jobs", runtime.NumCPU(), item+"s to run concurrently")
	f.StringVar(&o.State, "state", "", "resume from this state `file`, and update it")
	f.DurationVar(&o.Limit, "limit", limit, "the most time that a "+item+" may take")
	f.StringVar(&o.Profile, "cpuprofile", "", "write a CPU profile to this `file`")
}

// garbage is the percentage of live memory that may be allocated between collections. Items are
// small, so a higher frequency would take longer than some items do.
const garbage = 800

// Start parses the flags and sets up the run; stop ends a profile.
func (o *Options) Start(f *flag.FlagSet, args []string) (stop func(), err error) {
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	debug.SetGCPercent(garbage)
	if o.Profile == "" {
		return func() {}, nil
	}
	file, err := os.Create(o.Profile)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		file.Close()
		return nil, err
	}
	return func() {
		pprof.StopCPUProfile()
		file.Close()
	}, nil
}
