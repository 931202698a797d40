/** Descriptions of fields for the OpenAPI document. They are kept out of the schemas, so that function bundles do not carry them. */
import type * as z from 'zod/mini';
import { accountDescriptions } from './account-descriptions.ts';
import { alertDescriptions } from './alert-descriptions.ts';
import { configurationDescriptions } from './configuration-descriptions.ts';
import { documentDescriptions } from './document-descriptions.ts';
import { erasureDescriptions } from './erasure-descriptions.ts';
import { evidenceDescriptions } from './evidence-descriptions.ts';
import { exportDescriptions } from './export-descriptions.ts';
import { jobDescriptions } from './job-descriptions.ts';
import { overviewDescriptions } from './overview-descriptions.ts';
import { projectDescriptions } from './project-descriptions.ts';
import { restoreTestDescriptions } from './restore-test-descriptions.ts';
import { transformDescriptions } from './transform-descriptions.ts';

/**
 * A description belongs to a field's schema under the field's name. Schemas derived with pick, extend or partial share their fields'
 * schemas and so inherit the descriptions.
 */
const texts = new Map<z.core.$ZodType, Record<string, string | undefined>>();

const all = [
  ...jobDescriptions,
  ...exportDescriptions,
  ...transformDescriptions,
  ...projectDescriptions,
  ...accountDescriptions,
  ...alertDescriptions,
  ...configurationDescriptions,
  ...documentDescriptions,
  ...erasureDescriptions,
  ...restoreTestDescriptions,
  ...evidenceDescriptions,
  ...overviewDescriptions,
];

for (const [{ shape }, fields] of all)
  for (const [name, text] of Object.entries(fields)) {
    const field = (shape as z.core.$ZodLooseShape)[name];
    const known = texts.get(field) ?? {};
    if (known[name] !== undefined && known[name] !== text) throw new Error(`two descriptions of ${name} belong to one schema`);
    texts.set(field, { ...known, [name]: text });
  }

/** The description of a field, or of the schema that its optional, nullable or default wrapper contains. */
export const descriptionOf = (field: z.core.$ZodType, name: string): string | undefined => {
  const inner = (field._zod.def as { readonly innerType?: z.core.$ZodType }).innerType;
  return texts.get(field)?.[name] ?? (inner && descriptionOf(inner, name));
};
