/**
 * When a delivery was suppressed. Deliveries that were suppressed before this step have no instant.
 */
export const sql = `
ALTER TABLE mailkeep_deliveries ADD COLUMN suppressed_at INTEGER;
`
