/**
 * A published template with one variable, for the tests of sends by a template.
 */
import type { SendTemplate } from "../../../src/decide/message/sendContent.ts"
import type { TemplateParts } from "../../../src/domain/template/TemplateContent.ts"
import { emptyParts } from "../../../src/domain/template/TemplateContent.ts"
import { now, project } from "../fixtures.ts"

const record = { projectId: project, name: null, createdAt: now, updatedAt: now, revision: 1 }

export const template = (change: Partial<TemplateParts> = {}): SendTemplate => {
  const { html, text, ...settings } = { ...emptyParts, subject: "Hi {{name}}", html: "<p>{{name}}</p>", ...change }
  return {
    template: {
      ...record,
      id: "tpl_1",
      kind: "template",
      parent: "",
      content: {
        name: "T",
        alias: null,
        description: null,
        category: null,
        locale: null,
        draftVersionId: null,
        publishedVersionId: "tpv_1",
        archivedAt: null
      }
    },
    version: {
      ...record,
      id: "tpv_1",
      kind: "templateVersion",
      parent: "tpl_1",
      content: {
        ...settings,
        versionNumber: 1,
        status: "published",
        publishedAt: now,
        bodyId: "tpb_1",
        bodyOctets: 10,
        variables: [{ id: "var_1", key: "name", type: "string", required: true, fallbackValue: null }]
      }
    },
    body: { ...record, id: "tpb_1", kind: "templateBody", parent: "tpl_1", content: { html, text } }
  }
}
