/**
 * Splits the bytes of a connection to PostgreSQL into messages. The first message of a client has only a length. Every other message has a type of one
 * byte and its length. The chapter "Frontend/Backend Protocol" of the PostgreSQL documentation describes them.
 */

const lengthBytes = 4

/** Takes the bytes of one direction, and returns the messages that are complete. */
export const makeMessageFrames = (side: "client" | "server"): ((bytes: Buffer) => ReadonlyArray<Buffer>) => {
  let rest: Buffer = Buffer.alloc(0)
  let typeBytes = side === "client" ? 0 : 1
  return (bytes) => {
    rest = Buffer.concat([rest, bytes])
    const messages: Array<Buffer> = []
    while (rest.length >= typeBytes + lengthBytes) {
      // The length counts itself, but not the type.
      const end = typeBytes + rest.readUInt32BE(typeBytes)
      if (rest.length < end) break
      messages.push(rest.subarray(0, end))
      rest = rest.subarray(end)
      typeBytes = 1
    }
    return messages
  }
}
