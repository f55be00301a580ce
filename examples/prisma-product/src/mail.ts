/**
 * The mail of the product, in the same database as its own tables.
 */
import type { Mail, MailOptions } from "mailkeep"
import { openMail, stub } from "mailkeep"
import { postgres } from "mailkeep/postgres"
import type { ShopPool } from "./transaction.ts"

export const openShopMail = (pool: ShopPool, options: Partial<MailOptions> = {}): Promise<Mail> =>
  openMail({
    store: postgres(pool),
    transport: stub(), // or smtp(process.env["SMTP_URL"])
    domains: ["shop.example"],
    from: "Shop <orders@shop.example>",
    graceMillis: 2000,
    ...options
  })
