/** The search index of the docs: everything that has an address. */
import { type Field, schemaFields } from '../../../../../../shared/docs/schema-fields.ts';
import type { GuideFacts } from './guide-list.ts';
import type { Endpoint, Reference } from './read-reference.ts';

export const kinds = ['Guide', 'Endpoint', 'Area', 'Event', 'Error', 'Field'] as const;

export interface Entry {
  readonly kind: (typeof kinds)[number];
  readonly title: string;
  readonly detail: string;
  /** The method of an endpoint. */
  readonly method?: string;
  /** The last part of the page's address. */
  readonly page: string;
  readonly hash?: string;
  /** What is searched, in lower case: the title first, because matches in it count more. */
  readonly texts: readonly [title: string, rest: string];
}

export const buildIndex = (
  { areas, endpoints, events, errors, resolve }: Reference,
  guides: readonly GuideFacts[],
): readonly Entry[] => [
  ...guides.map(({ slug, title, summary, keywords = '' }) =>
    entry({ kind: 'Guide', title, detail: summary, page: slug }, `${summary} ${keywords}`),
  ),
  ...areas.map(({ slug, name, description }) =>
    entry({ kind: 'Area', title: name, detail: description, page: slug }, description),
  ),
  ...endpoints.map(({ id, method, path, title, area, operation }) =>
    entry(
      { kind: 'Endpoint', title, detail: path, method, page: area, hash: id },
      `${method} ${path} ${path.replace('/api/v1', method)} ${method} ${path.replace('/api/v1', '')} ${id} ${operation.summary}`,
    ),
  ),
  ...events.map(({ id, name, summary }) =>
    entry({ kind: 'Event', title: name, detail: summary, page: 'events', hash: id }, summary),
  ),
  ...errors.map(({ code, status, meaning }) =>
    entry({ kind: 'Error', title: code, detail: `${status} · ${meaning}`, page: 'errors', hash: code }, `${status} ${meaning}`),
  ),
  ...endpoints.flatMap((endpoint) => fieldEntries(endpoint, schemaFields(endpoint.body ?? {}, { resolve }))),
];

const fieldEntries = (endpoint: Endpoint, fields: readonly Field[]): readonly Entry[] => {
  const queries = endpoint.parameters.filter((parameter) => parameter.in === 'query');
  const named = [
    ...queries.map(({ name, description = '' }) => ({ path: name, description })),
    ...flatten(fields).map(({ path, description = '' }) => ({ path, description })),
  ];
  return named.map(({ path, description }) =>
    entry(
      {
        kind: 'Field',
        title: path,
        detail: `${endpoint.title} · ${endpoint.method} ${endpoint.path}`,
        page: endpoint.area,
        hash: endpoint.id,
      },
      description,
    ),
  );
};

const flatten = (fields: readonly Field[]): readonly Field[] =>
  fields.flatMap((field) => [...(field.isVariant ? [] : [field]), ...flatten(field.children)]);

const entry = (shown: Omit<Entry, 'texts'>, rest: string): Entry => ({
  ...shown,
  texts: [shown.title.toLowerCase(), rest.toLowerCase()],
});
