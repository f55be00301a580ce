/**
 * Adds the matchers about mail to `expect` of vitest, with their types. Name this entry in `setupFiles`, or import it in a test file.
 *
 * @example
 * ```ts no-run A test of vitest runs only below vitest.
 * import "@mailkeep/testing/vitest"
 * import { testMail } from "@mailkeep/testing"
 * import { expect, it } from "vitest"
 *
 * it("sends nothing to a stranger", async () => {
 *   const mail = testMail()
 *   expect(mail).not.toHaveSent({ to: "stranger@example.org" })
 * })
 * ```
 */
import { expect } from "vitest"
import type { MailMatchers } from "./matchers.ts"
import { mailMatchers } from "./matchers.ts"

export type { MailMatchers } from "./matchers.ts"

declare module "vitest" {
  // An augmentation needs the parameters of the original. Those of vitest 4 and older are others.
  interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> extends MailMatchers<R> {}
}

expect.extend(mailMatchers)
