// Package series is what commands have in common that do a great many things which follow
// from a seed: their flags, and how they spend memory and are profiled.
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

// Register declares the flags, with what an item is called and the defaults that differ.
func (o *Options) Register(f *flag.FlagSet, item string, n uint64, limit time.Duration) {
	f.Uint64Var(&o.N, "n", n, item+"s to make, those of earlier runs counted")
	f.Uint64Var(&o.Seed, "seed", 1, "which ones")
	f.IntVar(&o.Jobs, "jobs", runtime.NumCPU(), item+"s at the same time")
	f.StringVar(&o.State, "state", "", "a `file` to go on from, and to keep up to date")
	f.DurationVar(&o.Limit, "limit", limit, "what a "+item+" may take")
	f.StringVar(&o.Profile, "cpuprofile", "", "a `file` for what takes the time")
}

// garbage is how much may lie about before it is collected, in percent of what is in use:
// items are small, and collecting behind each of them takes longer than some do.
const garbage = 800

// Start reads the flags and prepares for the run; stop ends a profile.
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
