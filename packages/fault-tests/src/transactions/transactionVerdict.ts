/**
 * Compares the committed orders of a product with the deliveries in the store and the copies at the relay.
 */

/** A delivery to a recipient of an order. */
export interface OrderDelivery {
  readonly id: string
  readonly recipient: string
}

/** What one run left behind. */
export interface TransactionsLeft {
  /** The recipients of the orders that were committed. */
  readonly committed: ReadonlySet<string>
  /** The deliveries of all sends that were made in transactions. */
  readonly deliveries: ReadonlyArray<OrderDelivery>
  /** The deliveries of which the relay has a copy. */
  readonly received: ReadonlySet<string>
  /** The rows that are still in the outbox. */
  readonly outboxRows: number
}

/** Returns a sentence for each mail that is lost, doubled, or was sent although its transaction did not commit. */
export const transactionFailures = ({
  committed,
  deliveries,
  received,
  outboxRows
}: TransactionsLeft): ReadonlyArray<string> => {
  const byRecipient = Map.groupBy(deliveries, ({ recipient }) => recipient)
  return [
    ...[...byRecipient.keys()]
      .filter((recipient) => !committed.has(recipient))
      .map((recipient) => `${recipient}: sent, but its transaction did not commit`),
    ...[...committed].flatMap((recipient) => {
      const [first, ...others] = byRecipient.get(recipient) ?? []
      if (first === undefined) return [`${recipient}: committed, but never sent`]
      if (others.length > 0) return [`${recipient}: committed once, but sent ${others.length + 1} times`]
      return received.has(first.id) ? [] : [`${recipient}: sent, but the relay has no copy`]
    }),
    ...(outboxRows > 0 ? [`${outboxRows} rows are still in the outbox`] : [])
  ]
}
