/**
 * Remembers which requests had a valid API key or session, for a server that gives clients turns. This file does not need Node.
 */
const projects = new WeakMap<object, string>()

/** Remembers that the sender of this request acts in this project. `source` is the request of the host. */
export const markAuthenticated = (source: object, projectId: string): void => void projects.set(source, projectId)

/** The project of the sender of this request; `undefined` if the sender is not known. */
export const authenticatedProject = (source: object): string | undefined => projects.get(source)
