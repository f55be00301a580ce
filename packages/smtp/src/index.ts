/** The transports. */
export * as StubTransport from "./StubTransport.ts"
export type { StubAct, StubOptions, StubRule, CapturedMessage } from "./StubTransport.ts"
