/**
 * The address of the client of a web-standard request, which such a request itself does not have.
 */
const addresses = new WeakMap<object, string>()

/** Remembers the address from which this request came. */
export const rememberClientAddress = (request: Request, address: string): void => void addresses.set(request, address)

/** The address from which the request came; `undefined` if it is not known. */
export const rememberedAddress = (source: object): string | undefined => addresses.get(source)
