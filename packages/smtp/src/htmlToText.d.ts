/**
 * The part of html-to-text that this package uses. The package has no declarations of its own.
 */
declare module "html-to-text" {
  interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }

  /** An element, which has children, or a text or a comment, which has data. */
  export interface Node {
    readonly children?: ReadonlyArray<Node>
    readonly data?: string
  }

  interface Element extends Node {
    readonly children: ReadonlyArray<Node>
  }

  /** What a caller gives for one conversion. */
  interface Metadata {
    nestedUnits: number
  }

  /** The words of a block. It is not exported. */
  export interface InlineTextBuilder {
    readonly wrapCharacters: ReadonlyArray<string>
    readonly forceWrapOnLimit: boolean
    splitLongWord(word: string): Array<string>
  }

  interface BlockTextBuilder {
    readonly _stackItem?: { readonly inlineTextBuilder?: InlineTextBuilder }
    /** Adds text to the line. Several white spaces become one. */
    readonly addInline: (text: string) => void
    readonly metadata: Metadata
    readonly options: { readonly formatters: Readonly<Record<string, Formatter>> }
  }

  /** Writes an element. `walk` writes the elements in it. */
  export type Formatter = (
    element: Element,
    walk: (nodes: ReadonlyArray<Node>, builder: BlockTextBuilder) => void,
    builder: BlockTextBuilder,
    options: Readonly<Record<string, unknown>>
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

  export const compile: (options: ConvertOptions) => (html: string, metadata: Metadata) => string
}
