/**
 * A stub transport that acts in the same way at every hand-off.
 */
import type { StubAct } from "@mailkeep/smtp"

export const always = (...acts: readonly [StubAct, ...Array<StubAct>]) => ({ stub: { script: [{ acts }] } })
