/**
 * The part of html-to-text that this package uses. The package has no declarations of its own.
 */
declare module "html-to-text" {
  interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }

  interface Element {
    readonly children: ReadonlyArray<Element>
  }

  interface BlockTextBuilder {
    /** Adds text to the line. Several white spaces become one. */
    readonly addInline: (text: string) => void
  }

  /** Writes an element. `walk` writes the elements in it. */
  export type Formatter = (
    element: Element,
    walk: (elements: ReadonlyArray<Element>, builder: BlockTextBuilder) => void,
    builder: BlockTextBuilder
  ) => void

  interface ConvertOptions {
    readonly formatters?: Readonly<Record<string, Formatter>>
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
