/**
 * The type of a group of options, all of which may be absent.
 */

/** Options that may be absent. As everywhere, `undefined` means the same as absent, also for a product with `exactOptionalPropertyTypes`. */
export type OptionalFields<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined }
