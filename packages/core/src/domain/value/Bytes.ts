/**
 * The bytes that a caller gives.
 */

/**
 * Whether a value is a `Uint8Array`, also one of another realm. In a test with jsdom, the global `Uint8Array` is that of jsdom, and a `Buffer` is not an
 * instance of it.
 */
export const isBytes = (value: unknown): value is Uint8Array =>
  ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === "[object Uint8Array]"
