package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// state is the progress of a run. The seed and Next determine all of it.
type state struct {
	Seed     uint64         `json:"seed"`
	Next     uint64         `json:"next"` // all tasks before this one are done
	Kinds    map[string]int `json:"kinds"`
	Statuses map[string]int `json:"statuses"`
	Verdicts map[string]int `json:"verdicts"`
	Failures []failure      `json:"failures,omitempty"`
}

// failure is a failed task.
type failure struct {
	Task uint64 `json:"task"`
	What string `json:"what"`
	Why  string `json:"why"`
	File string `json:"file,omitempty"` // the reproducer
}

// load reads the state of an earlier run, if any.
func load(file string, seed uint64) (*state, error) {
	s := &state{Seed: seed, Kinds: map[string]int{}, Statuses: map[string]int{}, Verdicts: map[string]int{}}
	if file == "" {
		return s, nil
	}
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return s, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("%s: %v", file, err)
	}
	if s.Seed != seed {
		return nil, fmt.Errorf("%s belongs to a run with seed %d", file, s.Seed)
	}
	return s, nil
}

// save writes the state atomically: to a file next to it that is then renamed.
func (s *state) save(file string) error {
	if file == "" {
		return nil
	}
	data, err := json.MarshalIndent(s, "", "\t")
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(file), ".soak-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(append(data, '\n'))
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), file)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}

// count records the outcome of a task.
func (s *state) count(t *task, o *outcome) {
	s.Kinds[t.input.Kind().String()]++
	s.Statuses[o.status.String()]++
	s.Verdicts[o.verdict.String()]++
}
