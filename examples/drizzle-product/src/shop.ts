/**
 * An order: its row, the stock and the mail are one commit.
 */
import { and, eq, gt, sql } from "drizzle-orm"
import type { Mail } from "mailkeep"
import type { Pool } from "pg"
import { articles, orders } from "./tables.ts"
import { inTransaction } from "./transaction.ts"

/** The article is sold out, so there is no order and no mail. */
export class SoldOut extends Error {}

export const placeOrder = (pool: Pool, mail: Mail, email: string, article: string): Promise<number> =>
  inTransaction(pool, async (tx, client) => {
    const [order] = await tx.insert(orders).values({ email, article }).returning({ id: orders.id })
    const taken = await tx
      .update(articles)
      .set({ stock: sql`${articles.stock} - 1` })
      .where(and(eq(articles.name, article), gt(articles.stock, 0)))
      .returning({ stock: articles.stock })
    await mail.within(client).send({
      to: email,
      subject: `Your order ${order!.id}`,
      text: `Thank you. We send you: ${article}.`,
      metadata: { order: order!.id }
    })
    // The mail is written by now, and leaves only if the transaction commits.
    if (taken.length === 0) throw new SoldOut(`There is no ${article} left.`)
    return order!.id
  })
