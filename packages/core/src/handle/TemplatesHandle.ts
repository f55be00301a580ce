/**
 * The templates of one project, with promises.
 */
import type { RenderedTemplate } from "../decide/template/renderTemplate.ts"
import type { Template, TemplateSummary, TemplateVersionItem } from "../domain/template/Template.ts"
import type { TemplateVariable } from "../domain/template/TemplateContent.ts"
import type {
  CreateTemplateInput,
  ListTemplatesInput,
  ListTemplateVersionsInput,
  PreviewTemplateInput,
  UpdateTemplateInput
} from "../domain/template/TemplateInput.ts"
import type { Page, PageInput } from "../domain/store/Paging.ts"
import type { CallOptions } from "./CallOptions.ts"

/** The templates of a project. `idOrAlias` is the id or the alias of a template. */
export interface TemplatesHandle {
  /** One page of the templates without bodies, the most recently updated first. */
  readonly list: (input?: ListTemplatesInput, options?: CallOptions) => Promise<Page<TemplateSummary>>
  /** All matching templates without bodies, the most recently updated first. */
  readonly each: (
    filter?: Omit<ListTemplatesInput, keyof PageInput>,
    options?: CallOptions
  ) => AsyncIterable<TemplateSummary>
  /** A template. Rejects with `RecordNotFound` when no template has this id or alias. */
  readonly get: (idOrAlias: string, options?: CallOptions) => Promise<Template>
  /**
   * Creates a template. Version 1 is its draft. Rejects with `NameTaken` when another template has the alias, and with `TooManyRecords` when the
   * project has 1,000 templates that are not archived, or 10,000 in all.
   */
  readonly create: (input: CreateTemplateInput, options?: CallOptions) => Promise<Template>
  /**
   * Changes a template and its draft. A published version never changes: a draft is made from it when there is none. Rejects with
   * `RecordNotFound`, with `NameTaken` when another template has the alias, and with `TemplateNotEditable` when the template is archived.
   */
  readonly update: (idOrAlias: string, input: UpdateTemplateInput, options?: CallOptions) => Promise<Template>
  /**
   * Publishes the draft, so that sends use it. Rejects with `RecordNotFound`, and with `TemplateNotEditable` when the template is archived or has
   * no draft. Rejects with `InvalidArgument` when the draft lacks a subject or a body, or uses a variable that it does not declare.
   */
  readonly publish: (idOrAlias: string, options?: CallOptions) => Promise<Template>
  /** Archives a template, so that sends with it are refused. Its alias becomes free. Rejects with `RecordNotFound`. */
  readonly archive: (idOrAlias: string, options?: CallOptions) => Promise<void>
  /** The variables of the draft, or of the published version when there is no draft. Rejects with `RecordNotFound`. */
  readonly listVariables: (idOrAlias: string, options?: CallOptions) => Promise<ReadonlyArray<TemplateVariable>>
  /**
   * Versions, newest first. Fewer versions than `limit` mean that there are no more. The newest versions have their bodies, up to 4 MiB in total.
   * Rejects with `RecordNotFound`.
   */
  readonly listVersions: (
    idOrAlias: string,
    input?: ListTemplateVersionsInput,
    options?: CallOptions
  ) => Promise<ReadonlyArray<TemplateVersionItem>>
  /**
   * Renders the content of a send. Writes nothing. Rejects with `RecordNotFound` when there is no such template or version, and with
   * `InvalidArgument` when the version cannot be published or a value does not fit its variable.
   */
  readonly preview: (
    idOrAlias: string,
    input?: PreviewTemplateInput,
    options?: CallOptions
  ) => Promise<RenderedTemplate>
}
