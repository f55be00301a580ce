/**
 * The failure of an argument that a method refuses before it calls the core.
 */
import { InvalidArgument } from "@mailkeep/core"
import { withOwnMessage } from "@mailkeep/core/handle/calls"

/** Makes the failure as a call of the core rejects with it: a framework may change its message, and a copy in another thread has the message. */
export const invalidArgument = (...[fields]: ConstructorParameters<typeof InvalidArgument>): InvalidArgument =>
  withOwnMessage(new InvalidArgument(fields))
