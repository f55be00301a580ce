/**
 * An order: its row, the stock and the mail are one commit.
 */
import type { Mail } from "mailkeep"
import type { PrismaClient } from "./generated/client.ts"
import { inTransaction } from "./transaction.ts"

/** The article is sold out, so there is no order and no mail. */
export class SoldOut extends Error {}

export const placeOrder = (prisma: PrismaClient, mail: Mail, email: string, article: string): Promise<number> =>
  inTransaction(prisma, async (tx, client) => {
    const { id } = await tx.order.create({ data: { email, article } })
    const taken = await tx.article.updateMany({
      where: { name: article, stock: { gt: 0 } },
      data: { stock: { decrement: 1 } }
    })
    await mail.within(client).send({
      to: email,
      subject: `Your order ${id}`,
      text: `Thank you. We send you: ${article}.`,
      metadata: { order: id }
    })
    // The mail is written by now, and leaves only if the transaction commits.
    if (taken.count === 0) throw new SoldOut(`There is no ${article} left.`)
    return id
  })
