package budget

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func Example() {
	b := New(context.Background(), 100, Unlimited)
	part := b.Part(10, Unlimited)
	for part.Work(3) == nil {
	}
	fmt.Println(part.Err())
	fmt.Println(b.Err())
	fmt.Println(b.Used())
	// Output:
	// the work that one input may take is used up
	// <nil>
	// 9 0
}

func TestParts(t *testing.T) {
	whole := New(context.Background(), 10, Unlimited)
	first, second := whole.Part(8, 1), whole.Part(8, 1)
	if err := first.Work(8); err != nil {
		t.Error(err)
	}
	if err := first.Work(1); err != ErrWork {
		t.Errorf("a part beyond its own: %v", err)
	}
	if err := second.Work(3); err != ErrWork {
		t.Errorf("a part beyond the whole: %v", err)
	}
	if err := second.Work(0); err != ErrWork {
		t.Errorf("what is used up comes back: %v", err)
	}
	if err := whole.Part(1, 8).Hold(9); err != ErrMemory {
		t.Errorf("memory: %v", err)
	}
	if err := New(context.Background(), 1, 8).Hold(8); err != nil {
		t.Errorf("memory within: %v", err)
	}
}

func TestTime(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := New(ctx, Unlimited, Unlimited)
	part := b.Part(Unlimited, Unlimited)
	if err := part.Work(glance); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := part.Work(glance); !errors.Is(err, ErrTime) || !Is(err) {
		t.Errorf("after the end: %v", err)
	}
	if err := b.Err(); err != ErrTime {
		t.Errorf("the whole: %v", err)
	}
}

func TestPoll(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	b := New(ctx, 1, Unlimited).Part(1, Unlimited)
	polled := func(b *Budget) (err error) {
		defer Catch(&err)
		b.Poll()
		return nil
	}
	b.Work(2)
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
	if err := b.Work(1 << 40); err != nil || b.Hold(1<<40) != nil || b.Err() != nil {
		t.Error("no budget has bounds")
	}
	p := b.Part(5, 5)
	if p.Work(5) != nil || p.Work(1) == nil {
		t.Error("a part of no budget has its own bounds alone")
	}
	if w, m := b.Used(); w != 0 || m != 0 {
		t.Error("no budget counts")
	}
}
