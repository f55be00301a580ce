/**
 * A transaction of Prisma together with its client of `pg`, so that a mail can join it. Prisma does not show the client. The pool remembers which
 * client it gives to the transaction.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { PoolClient } from "pg"
import { Pool } from "pg"
import type { Prisma, PrismaClient } from "./generated/client.ts"

type OnConnect = Parameters<Pool["connect"]>[0]

/** What is known of a transaction: the first client that is taken for it is its own. */
interface Transaction {
  client?: PoolClient
}

/** The transaction that the running code is in. */
const currentTransaction = new AsyncLocalStorage<Transaction>()

const rememberClient = async (connecting: Promise<PoolClient>, transaction?: Transaction): Promise<PoolClient> => {
  const client = await connecting
  if (transaction !== undefined) transaction.client ??= client
  return client
}

/** The pool of the product. Use it for Prisma and for the mail. */
export class ShopPool extends Pool {
  override connect(): Promise<PoolClient>
  override connect(onConnect: OnConnect): void
  override connect(onConnect?: OnConnect): Promise<PoolClient> | void {
    if (onConnect !== undefined) return super.connect(onConnect)
    return rememberClient(super.connect(), currentTransaction.getStore())
  }
}

/** Runs `run` in one transaction, and gives it the transaction of Prisma and the client. Rolls back when `run` throws. */
export const inTransaction = <A>(
  prisma: PrismaClient,
  run: (tx: Prisma.TransactionClient, client: PoolClient) => Promise<A>
): Promise<A> => {
  const transaction: Transaction = {}
  return currentTransaction.run(transaction, () =>
    prisma.$transaction((tx) => {
      const { client } = transaction
      if (client === undefined) throw new Error("Prisma must use a ShopPool.")
      return run(tx, client)
    })
  )
}
