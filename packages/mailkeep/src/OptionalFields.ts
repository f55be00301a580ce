/**
 * The type of a group of options.
 */
/** Options that may be absent. As everywhere, `undefined` means the same as absent, also for a product with `exactOptionalPropertyTypes`. */
export type OptionalFields<Options> = { readonly [Name in keyof Options]?: Options[Name] | undefined }
