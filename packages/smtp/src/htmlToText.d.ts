/**
 * The part of html-to-text that this package uses. The package has no declarations of its own.
 */
declare module "html-to-text" {
  interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }

  interface ConvertOptions {
    readonly wordwrap?: number | false
    readonly limits?: {
      readonly ellipsis?: string
      readonly maxDepth?: number
      readonly maxInputLength?: number
    }
    readonly selectors?: ReadonlyArray<Selector>
  }

  export const compile: (options: ConvertOptions) => (html: string) => string
}
