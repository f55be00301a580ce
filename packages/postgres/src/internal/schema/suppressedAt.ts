/**
 * When a delivery was suppressed. Deliveries that were suppressed before this step have no instant.
 */
export const sql = (schema: string): string => `
ALTER TABLE ${schema}.deliveries ADD COLUMN suppressed_at bigint;
`
