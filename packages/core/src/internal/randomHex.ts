/**
 * Random bytes as hexadecimal text.
 */
import type { Crypto } from "../port/Crypto.ts"

/** Two hexadecimal digits for each byte. */
export const randomHex = (crypto: Crypto["Service"], bytes: number): string =>
  [...crypto.randomBytes(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("")
