/**
 * The message of a failure as a property of the error itself.
 */

/**
 * Gives a failure the property `message` of its own, and returns the failure. The class of a failure has only a getter. A program that adds its own
 * words to the message of an error, such as Next.js, would get a `TypeError` instead of the failure. A copy in another thread would have no message.
 * Changes no other value.
 */
export const withOwnMessage = <E>(failure: E): E => {
  if (
    failure instanceof Error &&
    "_tag" in failure &&
    Object.isExtensible(failure) &&
    !Object.hasOwn(failure, "message")
  )
    Object.defineProperty(failure, "message", { value: failure.message, writable: true, configurable: true })
  return failure
}
