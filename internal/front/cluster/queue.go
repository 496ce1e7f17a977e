package cluster

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// queue is a JetStream work queue of tasks waiting to be dealt. It belongs to one
// goroutine. After an error it must be recreated and filled with what the run lacks,
// because its content is no longer reliable.
type queue struct {
	js       jetstream.JetStream
	subject  string
	consumer jetstream.Consumer
}

// redelivery is how long a task that was taken out stays out unless the coordinator renews
// it.
const redelivery = 2 * time.Minute

// makeQueue replaces the group's queue by an empty one.
func makeQueue(ctx context.Context, nc *nats.Conn, g group) (*queue, error) {
	ctx, cancel := context.WithTimeout(ctx, shortly)
	defer cancel()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	for tries := 1; ; tries++ {
		consumer, err := makeStream(ctx, js, g)
		if err == nil {
			return &queue{js, g.tasks(), consumer}, nil
		}
		// A server may still be removing the files of the stream that was deleted, and
		// then fails to create those of the new one (nats-server 2.15.2).
		var failed *jetstream.APIError
		if tries == makeTries || !errors.As(err, &failed) || failed.Code != http.StatusInternalServerError {
			return nil, fmt.Errorf("the queue %s: %w", g.stream(), err)
		}
		if err := pause(ctx, firstPause); err != nil {
			return nil, err
		}
	}
}

// makeTries is how often a server that fails is asked for a new queue.
const makeTries = 20

// makeStream replaces the stream of the group's queue and returns its only consumer.
func makeStream(ctx context.Context, js jetstream.JetStream, g group) (jetstream.Consumer, error) {
	if err := js.DeleteStream(ctx, g.stream()); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return nil, err
	}
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name: g.stream(), Subjects: []string{g.tasks()}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage,
		MaxMsgSize: maxControl,
	})
	if err != nil {
		return nil, err
	}
	// The number of tasks taken out is not limited: silent workers could otherwise stall
	// the queue for all others.
	return stream.CreateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "coordinator", AckPolicy: jetstream.AckExplicitPolicy, AckWait: redelivery, MaxAckPending: -1, MaxDeliver: -1,
	})
}

// put appends tasks, which are on the server's disk when it returns nil. It publishes one
// after the other: the server syncs each one anyway, and the library's asynchronous
// publisher may leak a goroutine.
func (q *queue) put(ctx context.Context, tasks []int) error {
	ctx, cancel := context.WithTimeout(ctx, shortly)
	defer cancel()
	for _, t := range tasks {
		if _, err := q.js.Publish(ctx, q.subject, strconv.AppendInt(nil, int64(t), 10)); err != nil {
			return fmt.Errorf("the queue: %w", err)
		}
	}
	return nil
}

// taken is a task that was taken out of the queue.
type taken struct {
	task int
	msg  jetstream.Msg
}

// take takes out at most n tasks, possibly none.
func (q *queue) take(n int) (list []taken, err error) {
	batch, err := q.consumer.FetchNoWait(n)
	if err != nil {
		return nil, fmt.Errorf("the queue: %w", err)
	}
	for msg := range batch.Messages() {
		t, err := strconv.Atoi(string(msg.Data()))
		if err != nil {
			_ = msg.Term() // not one of ours
			continue
		}
		list = append(list, taken{t, msg})
	}
	if err := batch.Error(); err != nil {
		return list, fmt.Errorf("the queue: %w", err)
	}
	return list, nil
}
