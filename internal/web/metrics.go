package web

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/book"
)

// metrics are what /metrics tells.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec // by route, method and status
	latency   *prometheus.HistogramVec
	sockets   prometheus.Gauge
	messages  prometheus.Counter
	refusals  *prometheus.CounterVec // by cause
	tasks     *prometheus.CounterVec // by engine or action
	waited    prometheus.Histogram
	took      *prometheus.HistogramVec
	shortened prometheus.Counter
	evals     prometheus.Counter
	nodes     prometheus.Counter
}

// namespace begins the names of all metrics of the program.
const namespace = "carozero"

// newMetrics returns metrics of a server in front of a service, with a book; nil: none.
func newMetrics(service *analysis.Service, b *book.Book) *metrics {
	bookUses := func() (asked, answered int64) {
		if b == nil {
			return 0, 0
		}
		return b.Uses()
	}
	counter := func(name, help string) prometheus.CounterOpts {
		return prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}
	}
	histogram := func(name, help string) prometheus.HistogramOpts {
		return prometheus.HistogramOpts{
			Namespace: namespace, Name: name, Help: help, Buckets: prometheus.ExponentialBuckets(0.001, 4, 9),
		}
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(counter("http_requests_total", "Requests by route, method and status."),
			[]string{"route", "method", "status"}),
		latency: prometheus.NewHistogramVec(histogram("http_request_seconds",
			"Time of requests by route, sockets left out."), []string{"route"}),
		sockets: prometheus.NewGauge(prometheus.GaugeOpts{
			Namespace: namespace, Name: "sockets_open", Help: "Sockets that are open.",
		}),
		messages: prometheus.NewCounter(counter("socket_messages_total", "Messages that came on sockets.")),
		refusals: prometheus.NewCounterVec(counter("refusals_total",
			"Requests and sockets that were refused or closed, by cause."), []string{"cause"}),
		tasks: prometheus.NewCounterVec(counter("tasks_total",
			"Turns and actions that were answered, by engine or action."), []string{"what"}),
		waited: prometheus.NewHistogram(histogram("task_wait_seconds", "Time of a task in the queue.")),
		took: prometheus.NewHistogramVec(histogram("task_seconds",
			"Time of a task after the queue, by engine or action."), []string{"what"}),
		shortened: prometheus.NewCounter(counter("tasks_shortened_total", "Searches that were ended before their bounds.")),
		evals: prometheus.NewCounter(counter("evaluations_total",
			"Positions given to a network, answers from the cache included.")),
		nodes: prometheus.NewCounter(counter("nodes_total", "Playouts, and moves that the classical search played.")),
	}
	gauge := func(name, help string, value func() int) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Namespace: namespace, Name: name, Help: help,
		}, func() float64 { return float64(value()) })
	}
	uses := func(name, help string, value func() uint64) prometheus.Collector {
		return prometheus.NewCounterFunc(counter(name, help), func() float64 { return float64(value()) })
	}
	m.registry.MustRegister(m.requests, m.latency, m.sockets, m.messages, m.refusals, m.tasks, m.waited, m.took,
		m.shortened, m.evals, m.nodes,
		gauge("tasks_waiting", "Turns and actions that wait.", func() int { return service.Load().Waiting }),
		gauge("tasks_under_way", "Turns and actions that are under way.", func() int { return service.Load().UnderWay }),
		uses("cache_lookups_total", "Results of networks that were looked up in the cache.",
			func() uint64 { asked, _ := service.CacheUses(); return asked }),
		uses("cache_hits_total", "Results of networks that were found in the cache.",
			func() uint64 { _, found := service.CacheUses(); return found }),
		uses("book_lookups_total", "Positions about which the opening book was asked for a move.",
			func() uint64 { asked, _ := bookUses(); return uint64(asked) }),
		uses("book_moves_total", "Moves that came from the opening book.",
			func() uint64 { _, answered := bookUses(); return uint64(answered) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	return m
}

// done takes note of a task that was answered.
func (m *metrics) done(d analysis.Done) {
	m.tasks.WithLabelValues(d.What).Inc()
	m.waited.Observe(d.Waited.Seconds())
	m.took.WithLabelValues(d.What).Observe(d.Took.Seconds())
	m.evals.Add(float64(d.Evals))
	m.nodes.Add(float64(d.Nodes))
	if d.Shortened {
		m.shortened.Inc()
	}
}

// refused takes note of a refusal.
func (m *metrics) refused(p *board.Problem) {
	cause := p.Cause
	if cause == "" {
		cause = strconv.Itoa(p.Status)
	}
	m.refusals.WithLabelValues(cause).Inc()
}

// handler answers /metrics.
func (m *metrics) handler() http.HandlerFunc {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4}).ServeHTTP
}

// watched counts the requests of a route.
func (m *metrics) watched(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(seen, r)
		method := r.Method
		if method != http.MethodGet && method != http.MethodPost && method != http.MethodHead {
			method = "other"
		}
		m.requests.WithLabelValues(route, method, strconv.Itoa(seen.status)).Inc()
		if seen.status != http.StatusSwitchingProtocols {
			m.latency.WithLabelValues(route).Observe(time.Since(began).Seconds())
		}
	})
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

// WriteHeader implements [http.ResponseWriter].
func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

// Unwrap serves [http.ResponseController] and sockets.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
