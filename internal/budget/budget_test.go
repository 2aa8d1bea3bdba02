package budget

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func Example() {
	b := New(context.Background(), 100, Unlimited)
	part := b.SubBudget(10, Unlimited)
	for part.SpendSteps(3) == nil {
	}
	fmt.Println(part.Err())
	fmt.Println(b.Err())
	fmt.Println(b.Used())
	// Output:
	// the limit of work for one input is reached
	// <nil>
	// 9 0
}

func TestParts(t *testing.T) {
	whole := New(context.Background(), 10, Unlimited)
	first, second := whole.SubBudget(8, 1), whole.SubBudget(8, 1)
	if err := first.SpendSteps(8); err != nil {
		t.Error(err)
	}
	if err := first.SpendSteps(1); err != errWork {
		t.Errorf("a part beyond its own: %v", err)
	}
	if err := second.SpendSteps(3); err != errWork {
		t.Errorf("a part beyond the whole: %v", err)
	}
	if err := second.SpendSteps(0); err != errWork {
		t.Errorf("what is used up comes back: %v", err)
	}
	if err := whole.SubBudget(1, 8).HoldBytes(9); err != errMemory {
		t.Errorf("memory: %v", err)
	}
	if err := New(context.Background(), 1, 8).HoldBytes(8); err != nil {
		t.Errorf("memory within: %v", err)
	}
}

func TestTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := New(ctx, Unlimited, Unlimited)
	part := b.SubBudget(Unlimited, Unlimited)
	if err := part.SpendSteps(glance); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := part.SpendSteps(glance); !errors.Is(err, ErrTime) || !IsExhausted(err) {
		t.Errorf("after the end: %v", err)
	}
	if err := b.Err(); err != ErrTime {
		t.Errorf("the whole: %v", err)
	}
}

func TestPoll(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := New(ctx, 1, Unlimited).SubBudget(1, Unlimited)
	polled := func(b *Budget) (err error) {
		defer Catch(&err)
		b.Poll()
		return nil
	}
	b.SpendSteps(2)
	if err := errors.Join(polled(b), polled(nil)); err != nil {
		t.Errorf("before the time is up: %v", err)
	}
	cancel()
	if err := polled(b); err != ErrTime {
		t.Errorf("the time is up: %v", err)
	}
	defer func() {
		if p := recover(); p != "another" {
			t.Errorf("a panic of another kind becomes %v", p)
		}
	}()
	var err error
	defer Catch(&err)
	panic("another")
}

func TestNone(t *testing.T) {
	var b *Budget
	if err := b.SpendSteps(1 << 40); err != nil || b.HoldBytes(1<<40) != nil || b.Err() != nil {
		t.Error("no budget has bounds")
	}
	p := b.SubBudget(5, 5)
	if p.SpendSteps(5) != nil || p.SpendSteps(1) == nil {
		t.Error("a part of no budget has its own bounds alone")
	}
	if w, m := b.Used(); w != 0 || m != 0 {
		t.Error("no budget counts")
	}
}
