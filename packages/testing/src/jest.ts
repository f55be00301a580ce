/**
 * Adds the matchers about mail to the global `expect` of Jest, with their types. Name this entry in `setupFilesAfterEnv`. Jest must load ES modules.
 *
 * @example
 * ```ts no-run It is a configuration file of Jest.
 * export default { setupFilesAfterEnv: ["@mailkeep/testing/jest"] }
 * ```
 */
import type { MailMatchers } from "./matchers.ts"
import { mailMatchers } from "./matchers.ts"

export type { MailMatchers } from "./matchers.ts"

declare global {
  namespace jest {
    // Jest has the same parameters.
    interface Matchers<R, T = {}> extends MailMatchers<R> {}
  }
}

interface Extendable {
  readonly extend: (matchers: typeof mailMatchers) => void
}

const { expect } = globalThis as { readonly expect?: Extendable }
if (expect === undefined)
  throw new Error("There is no global expect. Name @mailkeep/testing/jest in setupFilesAfterEnv, not in setupFiles.")
expect.extend(mailMatchers)
