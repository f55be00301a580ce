/**
 * The mail of the product.
 */
import type { Mail } from "mailkeep"
import { openMail, sqlite, stub } from "mailkeep"

export const openShopMail = (filename: string): Promise<Mail> =>
  openMail({
    store: sqlite(filename),
    transport: stub(), // or smtp(process.env["SMTP_URL"])
    domains: ["shop.example"],
    from: "Shop <orders@shop.example>",
    graceMillis: 2000
  })

/** Creates an API key for a client over HTTP. */
export const createApiKey = async (mail: Mail): Promise<string> => {
  const { secret } = await mail.apiKeys.create({ name: "shop", permissions: ["email.send", "email.full_access"] })
  return secret
}
