/**
 * A transaction of Prisma together with its client of `pg`, so that a mail can join it. Prisma does not show the client. The pool notes which
 * client it gives to the transaction.
 */
import { AsyncLocalStorage } from "node:async_hooks"
import type { PoolClient } from "pg"
import { Pool } from "pg"
import type { Prisma, PrismaClient } from "./generated/client.ts"

type OnConnect = Parameters<Pool["connect"]>[0]

/** The first client that is taken for a transaction, which is its own. */
interface Begun {
  client?: PoolClient
}

const beginning = new AsyncLocalStorage<Begun>()

const noted = async (connecting: Promise<PoolClient>, begun: Begun | undefined): Promise<PoolClient> => {
  const client = await connecting
  if (begun !== undefined) begun.client ??= client
  return client
}

/** The pool of the product. Use it for Prisma and for the mail. */
export class ShopPool extends Pool {
  override connect(): Promise<PoolClient>
  override connect(onConnect: OnConnect): void
  override connect(onConnect?: OnConnect): Promise<PoolClient> | void {
    return onConnect === undefined ? noted(super.connect(), beginning.getStore()) : super.connect(onConnect)
  }
}

/** Runs `run` in one transaction, and gives it the transaction of Prisma and the client. Rolls back when `run` throws. */
export const inTransaction = <A>(
  prisma: PrismaClient,
  run: (tx: Prisma.TransactionClient, client: PoolClient) => Promise<A>
): Promise<A> => {
  const begun: Begun = {}
  return beginning.run(begun, () =>
    prisma.$transaction((tx) => {
      const { client } = begun
      if (client === undefined) throw new Error("Prisma must use a ShopPool.")
      return run(tx, client)
    })
  )
}
