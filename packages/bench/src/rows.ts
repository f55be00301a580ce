/**
 * All rows, in the order of the table.
 */
import type { Row } from "./Row.ts"
import { accept, acceptEffect } from "./rows/accept.ts"
import { contacts, importContacts } from "./rows/contacts.ts"
import { disk } from "./rows/disk.ts"
import { eventLoop } from "./rows/eventLoop.ts"
import { fairness } from "./rows/fairness.ts"
import { handOff } from "./rows/handOff.ts"
import { httpAccept, httpDelivered } from "./rows/http.ts"
import { memory } from "./rows/memory.ts"
import { move } from "./rows/move.ts"
import { processes } from "./rows/processes.ts"
import { queue } from "./rows/queue.ts"
import { scale, scalePostgres } from "./rows/scale.ts"
import { serve, start } from "./rows/start.ts"
import { webhooks } from "./rows/webhooks.ts"

export const rows: ReadonlyArray<Row> = [
  accept,
  acceptEffect,
  httpAccept,
  httpDelivered,
  queue,
  ...processes,
  handOff,
  webhooks,
  scale,
  scalePostgres,
  contacts,
  importContacts,
  move,
  fairness,
  eventLoop,
  memory,
  start,
  serve,
  disk
]

/** Finds a row by its name. */
export const rowNamed = (name: string): Row | undefined => rows.find((row) => row.name === name)
