/** A readable summary of the OpenAPI document: one line per operation, event and shared component. */
import { createHash } from 'node:crypto';
import type { Document } from '../../../shared/contract/openapi/openapi-document.ts';

export const openapiSummary = (document: Document): string => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { responses, ...operation }]) => {
      const statuses = Object.keys(responses).join(',');
      return `${method.toUpperCase()} ${path} ${statuses} ${hashOf({ responses, ...operation })}`;
    }),
  );
  const events = Object.entries(document.webhooks).map(([name, { post }]) => `EVENT ${name} ${hashOf(post)}`);
  const components = Object.entries(document.components).flatMap(([section, members]) =>
    Object.entries(members).map(([name, member]) => `${section} ${name} ${hashOf(member)}`),
  );
  return `${[`OPENAPI ${document.openapi} ${hashOf(document.servers)}`, ...operations, ...events, ...components].join('\n')}\n`;
};

/** Identifies everything but texts and examples, so that rewording a description changes no line. */
const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value, (key, inner: unknown) => (isText(key, inner) ? undefined : inner)))
    .digest('hex')
    .slice(0, 12);

const isText = (key: string, value: unknown): boolean =>
  ((key === 'description' || key === 'summary') && typeof value === 'string') || (key === 'examples' && Array.isArray(value));
