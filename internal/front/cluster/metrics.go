package cluster

import (
	"net/http"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the Prometheus metrics of a coordinator.
type Metrics struct {
	registry *prometheus.Registry

	games, positions, evals, hits, nodes          prometheus.Counter
	doubled, dropped, quarantined, handed, shared prometheus.Counter
	repairs                                       prometheus.Counter
	refusals, audits                              *prometheus.CounterVec
	workers, queue, held, auditing, free          prometheus.Gauge

	sumEvals, sumHits, sumNodes atomic.Int64
}

// NewMetrics returns metrics with all counts at zero.
func NewMetrics() *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string) prometheus.Counter {
		c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help})
		m.registry.MustRegister(c)
		return c
	}
	gauge := func(name, help string) prometheus.Gauge {
		g := prometheus.NewGauge(prometheus.GaugeOpts{Namespace: namespace, Name: name, Help: help})
		m.registry.MustRegister(g)
		return g
	}
	vector := func(name, help, label string) *prometheus.CounterVec {
		v := prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: namespace, Name: name, Help: help}, []string{label})
		m.registry.MustRegister(v)
		return v
	}
	m.games = counter("games_total", "Games that went into the run.")
	m.positions = counter("positions_total", "Rows of these games.")
	m.evals = counter("evaluations_total", "Positions that workers' networks computed.")
	m.hits = counter("cache_hits_total", "Positions that workers' caches answered.")
	m.nodes = counter("nodes_total", "Moves that workers' classical searches played.")
	m.doubled = counter("games_doubled_total", "Games that came although they were there.")
	m.dropped = counter("games_dropped_total", "Games of quarantined workers that are played again.")
	m.quarantined = counter("quarantined_total", "Workers that were quarantined.")
	m.handed = counter("tasks_handed_on_total", "Tasks that were taken from workers that had gone.")
	m.shared = counter("tasks_shared_total", "Tasks that were given to another worker too.")
	m.repairs = counter("queue_repairs_total", "Times that the queue was filled anew.")
	m.refusals = vector("refusals_total", "Messages that were refused, by cause.", "cause")
	m.audits = vector("audits_total", "Units that were played again, by what came of it.", "result")
	m.workers = gauge("workers", "Workers that are here.")
	m.queue = gauge("tasks_waiting", "Tasks that no worker has.")
	m.held = gauge("games_held", "Games on disk that wait to be believed.")
	m.auditing = gauge("audits_waiting", "Audits that wait or are under way.")
	m.free = gauge("disk_free_bytes", "Bytes that are free where the run is.")
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// namespace is the prefix of all metrics of a cluster.
const namespace = "carozero_cluster"

// Handler serves /metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

// refused counts a refusal.
func (m *Metrics) refused(cause string) { m.refusals.WithLabelValues(cause).Inc() }

// beat adds what a session has done between two beats.
func (m *Metrics) beat(before, now beat) {
	for _, c := range []struct {
		metric      prometheus.Counter
		sum         *atomic.Int64
		before, now int64
	}{
		{m.evals, &m.sumEvals, before.Evals, now.Evals},
		{m.hits, &m.sumHits, before.Hits, now.Hits},
		{m.nodes, &m.sumNodes, before.Nodes, now.Nodes},
	} {
		if d := c.now - c.before; d > 0 && d < mostCounted {
			c.metric.Add(float64(d))
			c.sum.Add(d)
		}
	}
}

// mostCounted is more than a worker can honestly count between two beats.
const mostCounted = 1 << 40

// counted returns the totals of all beats.
func (m *Metrics) counted() (evals, hits uint64, nodes int64) {
	return uint64(m.sumEvals.Load()), uint64(m.sumHits.Load()), m.sumNodes.Load()
}

// NewWorkerMetrics returns the Prometheus metrics of a worker.
func NewWorkerMetrics(w *Worker) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	counter := func(name, help string, value func(Counts) float64) {
		m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Namespace: namespace, Subsystem: "worker", Name: name, Help: help},
			func() float64 { return value(w.Counts()) }))
	}
	counter("games_total", "Games that the coordinator has taken.", func(c Counts) float64 { return float64(c.Games) })
	counter("positions_total", "Rows of these games.", func(c Counts) float64 { return float64(c.Positions) })
	counter("evaluations_total", "Positions that the network computed.", func(c Counts) float64 { return float64(c.Evals) })
	counter("cache_hits_total", "Positions that the cache answered.", func(c Counts) float64 { return float64(c.Hits) })
	counter("nodes_total", "Moves that the classical search played.", func(c Counts) float64 { return float64(c.Nodes) })
	m.registry.MustRegister(
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: namespace, Subsystem: "worker", Name: "games_under_way", Help: "Games that were dealt and not delivered."},
			func() float64 { return float64(w.Counts().UnderWay) }),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}
