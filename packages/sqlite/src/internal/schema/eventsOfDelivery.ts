/**
 * Finds the events about a delivery, and the event deliveries of an event.
 */
export const sql = `
CREATE INDEX mailkeep_events_of_delivery ON mailkeep_events (json_extract(data, '$.deliveryId'), id) WHERE json_extract(data, '$.deliveryId') IS NOT NULL;
CREATE INDEX mailkeep_event_deliveries_of_event ON mailkeep_event_deliveries (event_id, id);
`
