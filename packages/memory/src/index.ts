/** The reference store. */
export * as MemoryMailStore from "./MemoryMailStore.ts"
