/** Transports. */
export * as StubTransport from "./StubTransport.ts"
export type { StubAct, StubOptions, StubRule, TakenMessage } from "./StubTransport.ts"
