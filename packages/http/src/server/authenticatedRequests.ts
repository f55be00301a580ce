/**
 * Remembers which requests had a valid API key or session, for a server that gives clients turns. This file does not need Node.
 */
const authenticated = new WeakSet<object>()

/** Remembers that the sender of this request is known. `source` is the request of the host. */
export const markAuthenticated = (source: object): void => void authenticated.add(source)

/** Whether the sender of this request is known. */
export const isAuthenticated = (source: object): boolean => authenticated.has(source)
