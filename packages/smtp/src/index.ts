/** Transports. */
export * as StubTransport from "./StubTransport.ts"
