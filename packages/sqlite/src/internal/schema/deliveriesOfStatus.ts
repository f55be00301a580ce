/**
 * Finds the deliveries of a status in the log. The index has no statuses through which mail passes that is sent at once and accepted, so such mail
 * never writes to this index. SQLite uses a partial index when a condition of the query is one of the conditions that OR joins.
 */
export const sql = `
CREATE INDEX mailkeep_deliveries_of_status ON mailkeep_deliveries (project_id, status, created_at, id) WHERE status = 'scheduled' OR status = 'canceled' OR status = 'bounced' OR status = 'complained' OR status = 'failed' OR status = 'suppressed';
`
