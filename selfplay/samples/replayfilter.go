package samples

// filter checks that the rows of a shard meet the conditions in its header by which they
// were selected.
func (r *replayer) filter(p *problems) {
	if r.header.Filter == "" {
		return
	}
	where, err := ParseWhere(r.header.Filter)
	if err != nil {
		p.add(-1, "", "header: filter: %v", err)
		return
	}
	counter := where.NewCounter()
	for i := range r.columns.Rows {
		row := r.columns.Row(i)
		if int64(row.Game) >= int64(len(r.header.Games)) || row.Outcome < -1 || row.Outcome > 1 ||
			row.Proven < ProvenLoss || row.Proven > ProvenUnknown {
			continue // already reported
		}
		if !where.Match(r.header, &r.header.Games[row.Game], &row) || !counter.Keep(&row) {
			p.add(i, "", "it does not fit the header's filter %.80q", r.header.Filter)
		}
	}
}
