/**
 * Ends the connection of a client that sends its body in very small chunks. Node handles each chunk by itself, also when no handler reads the body.
 * 64 KiB of such a body take the event loop some 20 ms and 1 MB of memory. Source: decision 0032.
 */
import { IncomingMessage } from "node:http"

/** A body may begin with so many chunks of any size. */
const chunksMin = 4096
/** The chunks of a longer body have so many bytes on average. A client that does not collect what it writes has more. */
const chunkBytesMin = 16

/** A request whose connection is closed when the chunks of its body are too small. */
export class BoundedRequest extends IncomingMessage {
  #chunks = 0
  #bytes = 0

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) return super.push(chunk, encoding)
    this.#chunks++
    this.#bytes += chunk.length
    if (this.#chunks <= chunksMin || this.#bytes >= this.#chunks * chunkBytesMin) return super.push(chunk, encoding)
    this.socket.destroy()
    return false
  }
}
